// Code points in text that is known to be valid UTF-8. Nothing is checked; see base/utf8.hpp for what came from
// outside.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kvgate::text {

/// How long the sequence is that this byte begins.
inline std::size_t sequence_length(char lead) noexcept {
  auto const byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

inline std::size_t utf8_length(char32_t c) noexcept {
  return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

inline bool is_continuation(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

/// The code point at `at`, which moves behind it.
inline char32_t next_code_point(char const*& at) noexcept {
  auto const byte = [&](int i) { return static_cast<char32_t>(static_cast<unsigned char>(at[i])); };
  char32_t const lead = byte(0);
  if (lead < 0x80) return ++at, lead;
  if (lead < 0xe0) {
    char32_t const c = (lead & 0x1f) << 6 | (byte(1) & 0x3f);
    return at += 2, c;
  }
  if (lead < 0xf0) {
    char32_t const c = (lead & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    return at += 3, c;
  }
  char32_t const c = (lead & 0x07) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f);
  return at += 4, c;
}

/// The first code point of a text that is not empty.
inline char32_t first_code_point(std::string_view text) noexcept {
  char const* at = text.data();
  return next_code_point(at);
}

/// Where the last code point of a text that is not empty begins.
inline std::size_t last_start(std::string_view text) noexcept {
  std::size_t at = text.size() - 1;
  while (at > 0 && is_continuation(text[at])) --at;
  return at;
}

inline void append_utf8(std::string& out, char32_t c) {
  auto const put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xc0 | c >> 6);
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12), put(0x80 | (c >> 6 & 0x3f));
  } else {
    put(0xf0 | c >> 18), put(0x80 | (c >> 12 & 0x3f)), put(0x80 | (c >> 6 & 0x3f));
  }
  put(0x80 | (c & 0x3f));
}

inline std::string utf8_of(char32_t c) {
  std::string text;
  append_utf8(text, c);
  return text;
}

}  // namespace kvgate::text
