#include "openai/json_text.hpp"

namespace kvgate::openai {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool continuation(unsigned char c) {
  return (c & 0xC0) == 0x80;
}

/// Bounds of the second byte where the first alone does not exclude overlong forms, surrogates and U+110000 and up.
bool second_byte_fits(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xE0:
      return second >= 0xA0;
    case 0xED:
      return second <= 0x9F;
    case 0xF0:
      return second >= 0x90;
    case 0xF4:
      return second <= 0x8F;
    default:
      return true;
  }
}

/// Length of the well-formed multi-byte sequence at the start of `text`; 0 when there is none.
std::size_t sequence_length(std::string_view text) {
  auto const byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  auto const first = byte(0);
  std::size_t const length = first >= 0xC2 && first <= 0xDF ? 2 : (first & 0xF0) == 0xE0 ? 3 : 4;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  if (!second_byte_fits(first, byte(1))) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continuation(byte(i))) return 0;
  }
  return length;
}

void append_control(std::string& out, unsigned char c) {
  constexpr char const* digits = "0123456789abcdef";
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  out += "\\u00";
  out += digits[c >> 4];
  out += digits[c & 15];
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    auto const c = static_cast<unsigned char>(text.front());
    std::size_t used = 1;
    if (c >= 0x80) {
      auto const length = sequence_length(text);
      out += length == 0 ? kReplacement : text.substr(0, length);
      if (length != 0) used = length;
    } else if (c < 0x20 || c == 0x7F) {
      append_control(out, c);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += static_cast<char>(c);
    }
    text.remove_prefix(used);
  }
  out += '"';
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

}  // namespace kvgate::openai
