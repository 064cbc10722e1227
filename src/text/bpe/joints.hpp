// Between which two characters merges can happen. Where none can, a text may be cut: both sides merge as they would
// together.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kvgate::text::bpe {

/// Immutable after the last add(); safe to share between threads then.
class Joints {
 public:
  Joints() : wide_(kWideBits / 64) {}

  /// Something that ends in `left` merges with something that begins with `right`.
  void add(char32_t left, char32_t right) noexcept;

  /// Whether anything may merge across; false is certain.
  bool may_join(char32_t left, char32_t right) const noexcept {
    if ((left | right) < 0x80) return ascii_[left][right];
    auto const bit = wide_bit(left, right);
    return wide_[bit / 64] >> (bit % 64) & 1;
  }

  /// The end of the word that begins at `p` < `end`: the first place where the text may be cut.
  char const* word_end(char const* p, char const* end) const noexcept;

  std::size_t memory() const noexcept { return sizeof *this + wide_.size() * sizeof wide_[0]; }

 private:
  static constexpr std::size_t kWideBits = std::size_t{1} << 20;

  static std::size_t wide_bit(char32_t left, char32_t right) noexcept {
    return ((std::uint64_t{left} << 32 | right) * 0x9e3779b97f4a7c15u) >> 44;
  }

  std::array<std::bitset<128>, 128> ascii_;
  std::vector<std::uint64_t> wide_;  ///< by hash: some pairs are taken for joints that are none
};

}  // namespace kvgate::text::bpe
