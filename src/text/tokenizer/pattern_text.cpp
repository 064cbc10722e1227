#include "text/tokenizer/pattern_text.hpp"

#include <charconv>

#include "text/unicode/code_point.hpp"

namespace kvgate::text {

bool PatternText::take(char c) noexcept {
  if (!rest_.starts_with(c)) return false;
  skip();
  return true;
}

bool PatternText::take(std::string_view text) noexcept {
  if (!rest_.starts_with(text)) return false;
  skip(text.size());
  return true;
}

char32_t PatternText::take_code_point() noexcept {
  char32_t const c = first_code_point(rest_);
  skip(sequence_length(rest_[0]));
  return c;
}

void PatternText::skip_name(char close) {
  std::size_t const end = rest_.find(close);
  if (end == std::string_view::npos) refuse("a name that does not end");
  skip(end + 1);
}

std::optional<Quantifier> PatternText::take_quantifier() {
  if (take('*')) return Quantifier{"*", false, false, true, true};
  if (take('+')) return Quantifier{"+", false, false, false, true};
  if (take('?')) return Quantifier{"?", false, false, true, false};
  return rest_.starts_with('{') ? take_interval() : std::nullopt;
}

std::optional<Quantifier> PatternText::take_interval() {
  constexpr std::uint32_t kMost = 65535;  // PCRE2's
  std::string_view text = rest_.substr(1);
  auto const least = take_number(text);
  bool const comma = text.starts_with(',');
  if (comma) text.remove_prefix(1);
  auto const most = comma ? take_number(text) : least;
  if ((!least && !most) || !text.starts_with('}')) return std::nullopt;
  rest_ = text.substr(1);
  if (least.value_or(0) > kMost || most.value_or(0) > kMost) refuse("a quantifier over 65535");
  if (most && least.value_or(0) > *most) refuse("a quantifier whose bounds are swapped");
  std::string const first = std::to_string(least.value_or(0));
  std::string const bounds = !comma ? first : first + "," + (most ? std::to_string(*most) : "");
  return Quantifier{"{" + bounds + "}", true, !comma, least.value_or(0) == 0, !most};
}

std::optional<std::uint32_t> PatternText::take_number(std::string_view& text) const noexcept {
  std::uint32_t number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::invalid_argument) return std::nullopt;
  if (error != std::errc()) number = 0xffffffff;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

char32_t PatternText::take_hex(std::size_t least, std::size_t most) {
  std::string_view const digits = rest_.substr(0, most);
  std::uint32_t value = 0;
  auto const end = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  auto const count = static_cast<std::size_t>(end - digits.data());
  bool const is_scalar = value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
  if (count < least || !is_scalar) refuse("a hexadecimal escape that names no character");
  skip(count);
  return value;
}

}  // namespace kvgate::text
