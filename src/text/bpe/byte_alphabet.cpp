#include "text/bpe/byte_alphabet.hpp"

#include <array>

#include "base/utf8.hpp"

namespace kvgate::text::bpe {
namespace {

constexpr char32_t kFirstMoved = 0x100;

constexpr bool stands_for_itself(unsigned byte) noexcept {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
}

constexpr auto kCharacters = [] {
  std::array<char32_t, 256> out{};
  char32_t moved = kFirstMoved;
  for (unsigned b = 0; b < out.size(); ++b) out[b] = stands_for_itself(b) ? b : moved++;
  return out;
}();

/// By character; -1: stands for no byte.
constexpr auto kBytes = [] {
  std::array<int, kFirstMoved + 68> out{};
  out.fill(-1);
  for (unsigned b = 0; b < kCharacters.size(); ++b) out[kCharacters[b]] = static_cast<int>(b);
  return out;
}();

}  // namespace

std::optional<std::string> token_bytes(std::string_view token) {
  std::string out;
  out.reserve(token.size());
  while (!token.empty()) {
    auto const [c, length] = utf8_step(token);
    if (length == 0 || c >= kBytes.size() || kBytes[c] < 0) return std::nullopt;
    out += static_cast<char>(kBytes[c]);
    token.remove_prefix(length);
  }
  return out;
}

std::string byte_character(unsigned char byte) {
  auto const c = kCharacters[byte];
  if (c < 0x80) return {static_cast<char>(c)};
  return {static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 0x3f))};
}

}  // namespace kvgate::text::bpe
