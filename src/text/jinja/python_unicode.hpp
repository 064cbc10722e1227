// What Python's str methods know of Unicode. From tables that Python itself wrote (python_unicode_data.inc).
#pragma once

#include <string>
#include <string_view>

namespace kvgate::jinja {

bool is_printable(char32_t c) noexcept;
bool is_alpha(char32_t c) noexcept;
bool is_decimal(char32_t c) noexcept;
bool is_digit_character(char32_t c) noexcept;  ///< str.isdigit: also superscripts and the like
bool is_numeric(char32_t c) noexcept;
bool is_upper(char32_t c) noexcept;
bool is_lower(char32_t c) noexcept;
bool is_title(char32_t c) noexcept;  ///< title case letters such as U+01C5
bool is_cased(char32_t c) noexcept;
inline bool is_alnum(char32_t c) noexcept {
  return is_alpha(c) || is_decimal(c) || is_digit_character(c) || is_numeric(c);
}

/// 0 to 9 for a decimal digit of any script.
int decimal_value(char32_t c) noexcept;

std::string to_upper(std::string_view text);
std::string to_lower(std::string_view text);
/// str.title: words begin after anything that has no case.
std::string to_title(std::string_view text);
std::string capitalized(std::string_view text);
std::string swapped_case(std::string_view text);
std::string case_folded(std::string_view text);

}  // namespace kvgate::jinja
