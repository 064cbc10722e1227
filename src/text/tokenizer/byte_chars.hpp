// GPT-2's alphabet: each byte as one printable character.
#pragma once

#include <array>

namespace kvgate::text {

namespace detail {

constexpr std::array<char32_t, 256> byte_chars() noexcept {
  std::array<char32_t, 256> chars{};
  char32_t next = 256;
  for (char32_t byte = 0; byte < 256; ++byte) {
    bool const shows = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    chars[byte] = shows ? byte : next++;
  }
  return chars;
}

}  // namespace detail

inline constexpr std::array<char32_t, 256> kByteChars = detail::byte_chars();

constexpr char32_t byte_char(char byte) noexcept {
  return kByteChars[static_cast<unsigned char>(byte)];
}

}  // namespace kvgate::text
