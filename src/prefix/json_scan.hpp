// Finding the few bytes of a JSON text that matter, many bytes at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace kvgate::prefix {

/// One bit for each of 64 bytes, the first byte lowest.
struct ByteMasks {
  std::uint64_t quotes = 0, backslashes = 0, blanks = 0;  // blank: a space or less
};

#ifdef __SSE2__

inline unsigned byte_mask(__m128i bytes) noexcept {
  return static_cast<unsigned>(_mm_movemask_epi8(bytes));
}

inline __m128i load16(char const* at) noexcept {
  return _mm_loadu_si128(reinterpret_cast<__m128i const*>(at));
}

inline __m128i quotes_and_backslashes(__m128i bytes) noexcept {
  return _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
}

/// `at` must have 64 readable bytes.
inline ByteMasks masks_of_64(char const* at) noexcept {
  ByteMasks masks;
  auto const add = [&masks, at](unsigned i) {
    auto const bytes = load16(at + i);
    masks.quotes |= std::uint64_t{byte_mask(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')))} << i;
    masks.backslashes |= std::uint64_t{byte_mask(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')))} << i;
    masks.blanks |= std::uint64_t{byte_mask(_mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ')), bytes))} << i;
  };
  add(0);
  add(16);
  add(32);
  add(48);
  return masks;
}

/// The first quote or backslash in whole vectors from `at`; where they end when there is none.
inline char const* skip_plain_vectors(char const* at, char const* end) noexcept {
  for (; end - at >= 16; at += 16) {
    if (auto const mask = byte_mask(quotes_and_backslashes(load16(at)))) return at + std::countr_zero(mask);
    if (end - at < 96) continue;
    // Long text: four vectors for one look, until one of them has something for the loop above.
    for (at += 16; end - at >= 64; at += 64) {
      auto const first = _mm_or_si128(quotes_and_backslashes(load16(at)), quotes_and_backslashes(load16(at + 16)));
      auto const second =
          _mm_or_si128(quotes_and_backslashes(load16(at + 32)), quotes_and_backslashes(load16(at + 48)));
      if (byte_mask(_mm_or_si128(first, second)) != 0) break;
    }
    at -= 16;
  }
  return at;
}

/// Copies 16 bytes; bit i of the result: byte i is a quote or a backslash.
inline unsigned copy_16(char const* from, char* to) noexcept {
  auto const bytes = load16(from);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
  return byte_mask(quotes_and_backslashes(bytes));
}

#else

inline ByteMasks masks_of_64(char const* at) noexcept {
  ByteMasks masks;
  for (unsigned i = 0; i < 64; ++i) {
    masks.quotes |= std::uint64_t{at[i] == '"'} << i;
    masks.backslashes |= std::uint64_t{at[i] == '\\'} << i;
    masks.blanks |= std::uint64_t{static_cast<unsigned char>(at[i]) <= ' '} << i;
  }
  return masks;
}

inline char const* skip_plain_vectors(char const* at, char const*) noexcept {
  return at;
}

inline unsigned copy_16(char const* from, char* to) noexcept {
  std::memcpy(to, from, 16);
  unsigned mask = 0;
  for (unsigned i = 0; i < 16; ++i) mask |= unsigned{from[i] == '"' || from[i] == '\\'} << i;
  return mask;
}

#endif

/// The first quote or backslash in [at, end), or `end`.
inline char const* find_quote_or_backslash(char const* at, char const* end) noexcept {
  at = skip_plain_vectors(at, end);
  while (at != end && *at != '"' && *at != '\\') ++at;
  return at;
}

/// Bit i: an odd number of bits up to and with i is set. Of quotes, that is: inside a string (its first quote
/// included).
inline std::uint64_t odd_so_far(std::uint64_t bits) noexcept {
  for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

}  // namespace kvgate::prefix
