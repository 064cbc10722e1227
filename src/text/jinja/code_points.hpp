// UTF-8 text counted, cut and searched as Python does with str: by code point. Texts are valid UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kvgate::jinja {

/// Code points in `text`.
std::size_t length(std::string_view text) noexcept;

/// Byte offset of code point number `index`; text.size() if there are not that many.
std::size_t byte_offset(std::string_view text, std::size_t index) noexcept;

/// Bytes of the code point that begins at `text[at]`.
inline std::size_t width_at(std::string_view text, std::size_t at) noexcept {
  auto const byte = static_cast<unsigned char>(text[at]);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/// The code point that begins at `text[at]`.
char32_t code_point_at(std::string_view text, std::size_t at) noexcept;

/// Byte offset of the code point before byte `at` (at > 0).
std::size_t previous(std::string_view text, std::size_t at) noexcept;

void append_utf8(std::string& out, char32_t code_point);

/// Python's white space (str.isspace), as str.strip and str.split see it.
bool is_space(char32_t code_point) noexcept;

/// Without leading and trailing white space.
std::string_view strip(std::string_view text) noexcept;
std::string_view strip_left(std::string_view text) noexcept;
std::string_view strip_right(std::string_view text) noexcept;

/// Without leading / trailing code points that occur in `set`.
std::string_view strip_left(std::string_view text, std::string_view set) noexcept;
std::string_view strip_right(std::string_view text, std::string_view set) noexcept;

}  // namespace kvgate::jinja
