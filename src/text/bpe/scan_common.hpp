// What the split scanners share. A scanner's `next(p, end)` gives the end of the piece that begins at `p` < `end`, as
// repeated leftmost matching of its regular expression over p..end would; text between two matches is a piece too.
#pragma once

#include <bit>
#include <string_view>

#include "text/bpe/byte_block.hpp"
#include "text/bpe/char_kind.hpp"
#include "text/bpe/split_traits.hpp"

namespace kvgate::text::bpe {

constexpr bool is_newline(char c) noexcept { return c == '\r' || c == '\n'; }

constexpr bool is_ascii_letter(char c) noexcept { return static_cast<unsigned char>((c | 0x20) - 'a') < 26; }

/// How many of the 16 bytes are letters of ASCII, from byte `first` on.
inline unsigned letter_run(std::uint32_t mask, unsigned first) noexcept {
  return static_cast<unsigned>(std::countr_one(mask >> first));
}

/// Behind a run of `word` characters of which everything before `p` is known.
inline char const* end_of_word(char const* p, char const* end, Kind word) noexcept {
  if (p == end) return p;
  auto const c = static_cast<unsigned char>(*p);
  if (c < 0x80 && !(kAsciiKinds[c] & word)) [[likely]]
    return p;
  return skip(p, end, word);
}

/// Behind at most `most` numbers.
inline char const* skip_numbers(char const* p, char const* end, int most) noexcept {
  for (; most > 0 && p < end; --most) {
    auto const step = char_at(p, end);
    if (step.kind != kinds::kNumber) break;
    p += step.length;
  }
  return p;
}

/// (?i:'s|'t|'re|'ve|'m|'ll|'d) at `p`, which is an apostrophe: its length, 0 if it does not match.
inline int contraction(char const* p, char const* end) noexcept {
  auto const at = [p, left = end - p](int i) { return i < left ? p[i] : '\0'; };
  switch (at(1) | 0x20) {
    case 's':
    case 't':
    case 'm':
    case 'd':
      return 2;
    case 'r':
    case 'v':
      return (at(2) | 0x20) == 'e' ? 3 : 0;
    case 'l':
      return (at(2) | 0x20) == 'l' ? 3 : 0;
    default:
      return at(1) == '\xC5' && at(2) == '\xBF' ? 3 : 0;  // U+017F folds to s
  }
}

/// 's|'t|'re|'ve|'m|'ll|'d: its length, 0 if it does not match.
inline int lower_contraction(std::string_view text) noexcept {
  for (std::string_view known : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(known)) return static_cast<int>(known.size());
  }
  return 0;
}

/// \s+(?!\S)|\s+ for the run of white space from `first` to `end_of_run`, whose last character begins at `last`.
inline char const* leave_one(char const* first, char const* last, char const* end_of_run, char const* end) noexcept {
  return end_of_run == end || last == first ? end_of_run : last;
}

/// \s*[\r\n]+|\s+(?!\S)|\s+ at `p`, which is white space.
inline char const* space_end(char const* p, char const* end) noexcept {
  auto const first = p;
  char const* behind_newline = nullptr;
  auto last = p;
  while (p < end) {
    auto const step = char_at(p, end);
    if (step.kind != kinds::kSpace) break;
    last = p;
    p += step.length;
    if (is_newline(*last)) behind_newline = p;
  }
  return behind_newline ? behind_newline : leave_one(first, last, p, end);
}

}  // namespace kvgate::text::bpe
