// Numbers by character, for the few thousand characters that have one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace kvgate::text::bpe {

/// Immutable after the last set(); safe to share between threads then.
class CodePointMap {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  CodePointMap() : values_(kBlock, kNone) {}

  /// `c` up to U+10FFFF.
  void set(char32_t c, std::uint32_t value) {
    auto& block = block_of_[c / kBlock];
    if (block == 0) {
      block = static_cast<std::uint16_t>(values_.size() / kBlock);
      values_.resize(values_.size() + kBlock, kNone);
    }
    values_[block * kBlock + c % kBlock] = value;
  }

  /// kNone: nothing was set. `c` up to U+10FFFF.
  std::uint32_t get(char32_t c) const noexcept { return values_[block_of_[c / kBlock] * kBlock + c % kBlock]; }

  std::size_t memory() const noexcept { return sizeof block_of_ + values_.size() * sizeof values_[0]; }

 private:
  static constexpr std::size_t kBlock = 128;

  std::array<std::uint16_t, 0x110000 / kBlock> block_of_{};  ///< 0: a block without any
  std::vector<std::uint32_t> values_;
};

}  // namespace kvgate::text::bpe
