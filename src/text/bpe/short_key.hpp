// Words of up to 15 bytes as two machine words: the bytes and, in the last place, their number. Equal keys are equal
// words.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "text/bpe/byte_block.hpp"

namespace kvgate::text::bpe {

inline constexpr std::size_t kShortWord = 15;

struct ShortKey {
  std::uint64_t low = 0, high = 0;
  bool operator==(ShortKey const&) const = default;
};

namespace detail {
/// Keeps the first n bytes of a word.
inline constexpr auto kKeep = [] {
  std::array<Words, kShortWord + 1> out{};
  for (std::size_t n = 1; n < out.size(); ++n) {
    out[n].low = n >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * n) - 1;
    out[n].high = n <= 8 ? 0 : (std::uint64_t{1} << 8 * (n - 8)) - 1;
  }
  return out;
}();
}  // namespace detail

/// `length`: 1 to 15.
inline ShortKey short_key(Words words, std::size_t length) noexcept {
  auto const& keep = detail::kKeep[length];
  return {words.low & keep.low, (words.high & keep.high) | std::uint64_t{length} << 56};
}

inline ShortKey short_key(std::string_view word) noexcept {
  return short_key(words_at(word.data(), word.data() + word.size()), word.size());
}

inline std::uint64_t hash_of(ShortKey key) noexcept {
  auto const h = (key.low ^ key.high * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
  return h ^ h >> 32;
}

}  // namespace kvgate::text::bpe
