// UTF-8 for output that must be well-formed whatever clients and engines sent: logs and metric labels.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kvgate {

/// One step through a text: the code point at its start and how many bytes it takes.
struct Utf8Step {
  char32_t code_point = 0;
  std::size_t length = 0;  ///< 0: the first byte begins no well-formed sequence (or the text is empty)
};

/// Strict: overlong forms, surrogates and code points over U+10FFFF are malformed.
Utf8Step utf8_step(std::string_view text) noexcept;

/// A copy in which every byte that is part of no well-formed sequence is replaced by U+FFFD.
std::string to_valid_utf8(std::string_view text);

}  // namespace kvgate
