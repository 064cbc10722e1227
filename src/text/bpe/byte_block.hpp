// Sixteen bytes of text at once: which of them are letters of ASCII, and the bytes themselves as two words.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace kvgate::text::bpe {

static_assert(std::endian::native == std::endian::little, "the first byte of a text is the low byte of a word");

inline constexpr std::size_t kBlock = 16;

struct Words {
  std::uint64_t low = 0, high = 0;
};

/// The bytes from `p` on as words; past `end` they read as zero.
inline Words words_at(char const* p, char const* end) noexcept {
  Words w;
  if (end - p >= static_cast<std::ptrdiff_t>(kBlock)) [[likely]]
    std::memcpy(&w, p, sizeof w);
  else
    std::memcpy(&w, p, static_cast<std::size_t>(end - p));
  return w;
}

namespace portable {

inline constexpr std::uint64_t kOnes = 0x0101010101010101u;
inline constexpr std::uint64_t kTops = 0x8080808080808080u;

/// Bit n: byte n of `word` is a letter of ASCII.
inline std::uint32_t letters(std::uint64_t word) noexcept {
  auto const lower = (word | 0x20 * kOnes) & ~kTops;
  auto const from_a = lower + (0x80 - 'a') * kOnes;       // top bit: at least 'a'
  auto const past_z = lower + (0x80 - 'z' - 1) * kOnes;   // top bit: past 'z'
  auto const tops = from_a & ~past_z & ~word & kTops;
  return static_cast<std::uint32_t>((tops >> 7) * 0x0102040810204080u >> 56);
}

inline std::uint32_t letter_mask(Words w) noexcept { return letters(w.low) | letters(w.high) << 8; }

inline std::uint32_t bit5(std::uint64_t word) noexcept {
  return static_cast<std::uint32_t>((word >> 5 & kOnes) * 0x0102040810204080u >> 56);
}

inline std::uint32_t bit5_mask(Words w) noexcept { return bit5(w.low) | bit5(w.high) << 8; }

}  // namespace portable

/// Bit n (of 16): byte n is a letter of ASCII.
inline std::uint32_t letter_mask(Words w) noexcept {
#if defined(__SSE2__)
  auto const v = _mm_set_epi64x(static_cast<long long>(w.high), static_cast<long long>(w.low));
  // Case folded and moved so that 'a' is the smallest signed byte: what is less than 'a' + 26 is a letter.
  auto const moved = _mm_sub_epi8(_mm_or_si128(v, _mm_set1_epi8(0x20)), _mm_set1_epi8(static_cast<char>('a' + 128)));
  auto const is_letter = _mm_cmplt_epi8(moved, _mm_set1_epi8(-128 + 26));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(is_letter));
#else
  return portable::letter_mask(w);
#endif
}

/// Bit n (of 16): bit 5 of byte n is set: of letters, the lower case ones.
inline std::uint32_t bit5_mask(Words w) noexcept {
#if defined(__SSE2__)
  auto const v = _mm_set_epi64x(static_cast<long long>(w.high), static_cast<long long>(w.low));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_slli_epi16(v, 2)));
#else
  return portable::bit5_mask(w);
#endif
}

}  // namespace kvgate::text::bpe
