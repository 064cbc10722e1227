// Fills the sets of an AsciiWindow from 64 bytes: as any processor can, and as the better ones can.
#pragma once

#include "text/bpe/ascii_window.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kvgate::text::bpe {

// Each returns where the first byte is that is not ASCII; what the sets say of it and what is behind it means nothing.

inline unsigned read_bytes(char const* bytes, AsciiWindow& w) noexcept {
  unsigned at = 0;
  for (; at < AsciiWindow::kBytes && static_cast<unsigned char>(bytes[at]) < 0x80; ++at) {
    auto const c = bytes[at];
    auto const note = [bit = Positions{1} << at](Positions& set, bool is) { set |= is ? bit : 0; };
    note(w.letters, static_cast<unsigned char>((c | 0x20) - 'a') < 26);
    note(w.lower, static_cast<unsigned char>(c - 'a') < 26);
    note(w.numbers, static_cast<unsigned char>(c - '0') < 10);
    note(w.blanks, c == ' ');
    note(w.newlines, c == '\n' || c == '\r');
    note(w.spaces, c == ' ' || (c >= '\t' && c <= '\r'));
    note(w.slashes, c == '/');
    note(w.apostrophes, c == '\'');
    note(w.controls, c == 0x7f || (c < ' ' && (c < '\t' || c > '\r')));
  }
  return at;
}

#if defined(__x86_64__)

namespace simd {

/// first <= byte < first + count
inline __m128i in_range(__m128i v, char first, int count) noexcept {
  auto const moved = _mm_sub_epi8(v, _mm_set1_epi8(static_cast<char>(first + 128)));
  return _mm_cmplt_epi8(moved, _mm_set1_epi8(static_cast<char>(count - 128)));
}

inline __m128i equal(__m128i v, char c) noexcept { return _mm_cmpeq_epi8(v, _mm_set1_epi8(c)); }

/// Bit n: the test holds for byte n.
template <class Test>
Positions where(__m128i const (&v)[4], Test test) noexcept {
  Positions out = 0;
  for (int i = 0; i < 4; ++i) {
    auto const bits = static_cast<std::uint16_t>(_mm_movemask_epi8(test(v[i])));
    out |= Positions{bits} << 16 * i;
  }
  return out;
}

inline unsigned read_sse2(char const* bytes, AsciiWindow& w) noexcept {
  __m128i v[4];
  std::memcpy(v, bytes, sizeof v);
  w.letters = where(v, [](__m128i x) { return in_range(_mm_or_si128(x, _mm_set1_epi8(0x20)), 'a', 26); });
  w.lower = w.letters & where(v, [](__m128i x) { return _mm_slli_epi16(x, 2); });
  w.numbers = where(v, [](__m128i x) { return in_range(x, '0', 10); });
  w.blanks = where(v, [](__m128i x) { return equal(x, ' '); });
  w.newlines = where(v, [](__m128i x) { return _mm_or_si128(equal(x, '\n'), equal(x, '\r')); });
  w.spaces = w.blanks | where(v, [](__m128i x) { return in_range(x, '\t', 5); });
  w.slashes = where(v, [](__m128i x) { return equal(x, '/'); });
  w.apostrophes = where(v, [](__m128i x) { return equal(x, '\''); });
  w.controls = where(v, [](__m128i x) { return _mm_or_si128(in_range(x, 0, 32), equal(x, 0x7f)); }) & ~w.spaces;
  return static_cast<unsigned>(std::countr_zero(where(v, [](__m128i x) { return x; })));
}

[[gnu::target("avx512bw")]] inline Positions in_range(__m512i v, char first, int count) noexcept {
  return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8(first)),
                                _mm512_set1_epi8(static_cast<char>(count)));
}

[[gnu::target("avx512bw")]] inline Positions equal(__m512i v, char c) noexcept {
  return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(c));
}

[[gnu::target("avx512bw")]] inline unsigned read_avx512(char const* bytes, AsciiWindow& w) noexcept {
  auto const v = _mm512_loadu_si512(bytes);
  w.lower = in_range(v, 'a', 26);
  w.letters = w.lower | in_range(v, 'A', 26);
  w.numbers = in_range(v, '0', 10);
  w.blanks = equal(v, ' ');
  w.newlines = equal(v, '\n') | equal(v, '\r');
  w.spaces = w.blanks | in_range(v, '\t', 5);
  w.slashes = equal(v, '/');
  w.apostrophes = equal(v, '\'');
  w.controls = (in_range(v, 0, 32) | equal(v, 0x7f)) & ~w.spaces;
  return static_cast<unsigned>(std::countr_zero(Positions{_mm512_movepi8_mask(v)}));
}

}  // namespace simd

#endif

/// The best one that needs no question to the processor.
inline unsigned read_window(char const* bytes, AsciiWindow& w) noexcept {
#if defined(__x86_64__)
  return simd::read_sse2(bytes, w);
#else
  return read_bytes(bytes, w);
#endif
}

}  // namespace kvgate::text::bpe
