#include "text/jinja/code_points.hpp"

#include <cstdint>
#include <cstring>

namespace kvgate::jinja {
namespace {

bool starts_code_point(char c) noexcept {
  return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

// Whether the code point at `at` (of `width` bytes) is in the set.
bool in_set(std::string_view text, std::size_t at, std::size_t width, std::string_view set) noexcept {
  return set.find(text.substr(at, width)) != std::string_view::npos;
}

}  // namespace

std::size_t length(std::string_view text) noexcept {
  constexpr std::uint64_t high_bits = 0x8080808080808080u;
  std::size_t continuation = 0;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    // bit 7 set and bit 6 clear
    continuation += static_cast<std::size_t>(__builtin_popcountll(word & ~(word << 1) & high_bits));
  }
  for (; at < text.size(); ++at) continuation += starts_code_point(text[at]) ? 0 : 1;
  return text.size() - continuation;
}

std::size_t byte_offset(std::string_view text, std::size_t index) noexcept {
  std::size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at += width_at(text, at);
  return at;
}

char32_t code_point_at(std::string_view text, std::size_t at) noexcept {
  auto const byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[at + i])); };
  switch (width_at(text, at)) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f);
    case 3:
      return (byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    default:
      return (byte(0) & 0x07) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f);
  }
}

std::size_t previous(std::string_view text, std::size_t at) noexcept {
  do --at;
  while (!starts_code_point(text[at]));
  return at;
}

void append_utf8(std::string& out, char32_t c) {
  auto const put = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xc0 | c >> 6);
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3f));
  } else {
    put(0xf0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3f));
    put(0x80 | (c >> 6 & 0x3f));
  }
  put(0x80 | (c & 0x3f));
}

bool is_space(char32_t c) noexcept {
  if (c < 0x80) return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20);
  return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
         c == 0x202f || c == 0x205f || c == 0x3000;
}

std::string_view strip(std::string_view text) noexcept {
  return strip_left(strip_right(text));
}

std::string_view strip_left(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size() && is_space(code_point_at(text, at))) at += width_at(text, at);
  return text.substr(at);
}

std::string_view strip_right(std::string_view text) noexcept {
  while (!text.empty()) {
    std::size_t const last = previous(text, text.size());
    if (!is_space(code_point_at(text, last))) break;
    text = text.substr(0, last);
  }
  return text;
}

std::string_view strip_left(std::string_view text, std::string_view set) noexcept {
  std::size_t at = 0;
  while (at < text.size() && in_set(text, at, width_at(text, at), set)) at += width_at(text, at);
  return text.substr(at);
}

std::string_view strip_right(std::string_view text, std::string_view set) noexcept {
  while (!text.empty()) {
    std::size_t const last = previous(text, text.size());
    if (!in_set(text, last, text.size() - last, set)) break;
    text = text.substr(0, last);
  }
  return text;
}

}  // namespace kvgate::jinja
