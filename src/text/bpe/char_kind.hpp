// Characters as the known split patterns tell them apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/utf8.hpp"
#include "text/unicode/classes.hpp"

namespace kvgate::text::bpe {

/// One bit for each class; every character has exactly one.
using Kind = std::uint8_t;

namespace kinds {
inline constexpr Kind kUpper = 1;      ///< Lu, Lt
inline constexpr Kind kLower = 2;      ///< Ll
inline constexpr Kind kCaseless = 4;   ///< Lm, Lo
inline constexpr Kind kMark = 8;       ///< M
inline constexpr Kind kNumber = 16;    ///< N
inline constexpr Kind kSpace = 32;     ///< \s
inline constexpr Kind kGraphic = 64;   ///< P, S
inline constexpr Kind kRest = 128;     ///< controls, unassigned, private
inline constexpr Kind kLetter = kUpper | kLower | kCaseless;
}  // namespace kinds

struct CharStep {
  Kind kind = 0;
  std::uint8_t length = 0;
  char32_t code_point = 0;
};

/// By category.
extern std::array<Kind, 32> const kCategoryKinds;

/// Kind of an ASCII character.
extern std::array<Kind, 128> const kAsciiKinds;

/// The kinds of all characters that begin with this byte.
extern std::array<Kind, 256> const kLeadKinds;

/// How many bytes the character has whose first byte this is; 1 for bytes that begin none.
constexpr std::uint8_t utf8_length(unsigned char lead) noexcept {
  return lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/// The code point at `p` < `end`, where a byte that is not ASCII is; of length 1 if no character is.
inline Utf8Step wide_code_point(char const* p, char const* end) noexcept {
  auto const byte = [p](int i) { return static_cast<unsigned char>(p[i]); };
  auto const length = utf8_length(byte(0));
  if (length == 1 || end - p < length) return {0xfffd, 1};
  char32_t c = byte(0) & (0x7f >> length);
  for (int i = 1; i < length; ++i) c = c << 6 | (byte(i) & 0x3f);
  return c > 0x10ffff ? Utf8Step{0xfffd, 1} : Utf8Step{c, length};
}

/// The character at `p` < `end`, which is not ASCII. In malformed UTF-8 some character of a length within the text.
inline CharStep wide_char_at(char const* p, char const* end) noexcept {
  auto const [c, length] = wide_code_point(p, end);
  auto const kind = length == 1 ? kinds::kRest : kCategoryKinds[class_byte(c) & 0x1f];
  return {kind, static_cast<std::uint8_t>(length), c};
}

/// The character at `p` < `end`.
inline CharStep char_at(char const* p, char const* end) noexcept {
  auto const first = static_cast<unsigned char>(*p);
  if (first < 0x80) [[likely]]
    return {kAsciiKinds[first], 1, first};
  return wide_char_at(p, end);
}

/// Behind the characters from `p` on that are of `wanted` kinds.
inline char const* skip(char const* p, char const* end, Kind wanted) noexcept {
  while (p < end) {
    auto const first = static_cast<unsigned char>(*p);
    if ((kLeadKinds[first] & ~wanted) == 0) {
      auto const length = utf8_length(first);
      p = end - p < length ? end : p + length;
      continue;
    }
    if (first < 0x80) break;
    auto const step = wide_char_at(p, end);
    if (!(step.kind & wanted)) break;
    p += step.length;
  }
  return p;
}

}  // namespace kvgate::text::bpe
