#include <string>

#include "text/jinja/code_points.hpp"
#include "text/jinja/python_unicode.hpp"
#include "text/jinja/runtime.hpp"
#include "text/jinja/text_methods.hpp"

namespace kvgate::jinja {
namespace {

Value converted(Runtime& runtime, Value const& self, Arguments const& arguments,
                std::string (*convert)(std::string_view)) {
  Bound const bound(arguments, {"str method", {}});
  runtime.spend_bytes(8 * self.text().size());
  return text_like(self, runtime.arena.copy(convert(self.text())));
}

template <class Has>
Value every(Runtime& runtime, Value const& self, Arguments const& arguments, bool of_nothing, Has has) {
  Bound const bound(arguments, {"str method", {}});
  std::string_view const text = self.text();
  runtime.spend_bytes(8 * text.size());
  if (text.empty()) return Value::boolean(of_nothing);
  for (std::size_t at = 0; at < text.size(); at += width_at(text, at)) {
    if (!has(code_point_at(text, at))) return Value::boolean(false);
  }
  return Value::boolean(true);
}

// At least one cased character, and none of the other case.
bool all_cased(std::string_view text, bool (*wanted)(char32_t), bool (*other)(char32_t)) {
  bool any = false;
  for (std::size_t at = 0; at < text.size(); at += width_at(text, at)) {
    char32_t const c = code_point_at(text, at);
    if (other(c) || is_title(c)) return false;
    any = any || wanted(c);
  }
  return any;
}

bool title_cased(std::string_view text) {
  bool any = false, inside = false;
  for (std::size_t at = 0; at < text.size(); at += width_at(text, at)) {
    char32_t const c = code_point_at(text, at);
    bool const capital = is_upper(c) || is_title(c);
    if (capital ? inside : is_lower(c) && !inside) return false;
    inside = capital || is_lower(c);
    any = any || inside;
  }
  return any;
}

}  // namespace

bool all_lower(std::string_view text) {
  return all_cased(text, is_lower, is_upper);
}
bool all_upper(std::string_view text) {
  return all_cased(text, is_upper, is_lower);
}

Value text_upper(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return converted(runtime, self, arguments, to_upper);
}
Value text_lower(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return converted(runtime, self, arguments, to_lower);
}
Value text_title(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return converted(runtime, self, arguments, to_title);
}
Value text_capitalize(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return converted(runtime, self, arguments, capitalized);
}
Value text_swapcase(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return converted(runtime, self, arguments, swapped_case);
}
Value text_casefold(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return converted(runtime, self, arguments, case_folded);
}

Value text_isalnum(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return every(runtime, self, arguments, false, is_alnum);
}
Value text_isalpha(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return every(runtime, self, arguments, false, is_alpha);
}
Value text_isascii(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return every(runtime, self, arguments, true, [](char32_t c) { return c < 0x80; });
}
Value text_isdecimal(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return every(runtime, self, arguments, false, is_decimal);
}
Value text_isdigit(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return every(runtime, self, arguments, false, is_digit_character);
}
Value text_isnumeric(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return every(runtime, self, arguments, false, is_numeric);
}
Value text_isprintable(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return every(runtime, self, arguments, true, is_printable);
}
Value text_isspace(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return every(runtime, self, arguments, false, is_space);
}

Value text_islower(Runtime& runtime, Value const& self, Arguments const& arguments) {
  Bound const bound(arguments, {"islower", {}});
  runtime.spend_bytes(8 * self.text().size());
  return Value::boolean(all_lower(self.text()));
}
Value text_isupper(Runtime& runtime, Value const& self, Arguments const& arguments) {
  Bound const bound(arguments, {"isupper", {}});
  runtime.spend_bytes(8 * self.text().size());
  return Value::boolean(all_upper(self.text()));
}
Value text_istitle(Runtime& runtime, Value const& self, Arguments const& arguments) {
  Bound const bound(arguments, {"istitle", {}});
  runtime.spend_bytes(8 * self.text().size());
  return Value::boolean(title_cased(self.text()));
}

}  // namespace kvgate::jinja
