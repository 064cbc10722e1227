#include "base/utf8.hpp"

namespace kvgate {
namespace {

/// Length that the lead byte announces; 0 for continuation bytes and bytes that UTF-8 never uses.
std::size_t announced_length(unsigned char lead) noexcept {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

bool well_formed(char32_t code_point, std::size_t length) noexcept {
  if (length == 3) return code_point >= 0x800 && (code_point < 0xD800 || code_point > 0xDFFF);
  return length != 4 || (code_point >= 0x10000 && code_point <= 0x10FFFF);
}

}  // namespace

Utf8Step utf8_step(std::string_view text) noexcept {
  if (text.empty()) return {};
  auto const lead = static_cast<unsigned char>(text[0]);
  std::size_t const length = announced_length(lead);
  if (length == 1) return {lead, 1};
  if (length == 0 || length > text.size()) return {};
  char32_t code_point = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    auto const byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80U) return {};
    code_point = (code_point << 6U) | (byte & 0x3FU);
  }
  if (!well_formed(code_point, length)) return {};
  return {code_point, length};
}

std::string to_valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t const length = utf8_step(text).length;
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace kvgate
