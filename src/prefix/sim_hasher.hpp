// SimHash (Charikar 2002) of a text: texts that share most of their shingles have hashes that differ in few bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "prefix/text_sink.hpp"

namespace kvgate::prefix {

/// Over all runs of eight bytes in the first `max_bytes` of the text.
class SimHasher final : public TextSink {
 public:
  explicit SimHasher(std::size_t max_bytes) noexcept : left_(max_bytes) {}

  /// The same on every machine. Call it once, at the end.
  std::uint64_t digest();

 private:
  void consume(std::string_view piece) override;
  void add_shingle() noexcept;
  void empty_columns() noexcept;

  std::size_t left_;
  std::size_t bytes_ = 0;
  std::uint64_t window_ = 0;  // the last eight bytes
  std::uint32_t shingles_ = 0;
  std::array<std::uint64_t, 8> columns_{};  // byte j of columns_[i] counts bit 8*j + i: room for 255 shingles
  std::array<std::uint32_t, 64> counts_{};
};

}  // namespace kvgate::prefix
