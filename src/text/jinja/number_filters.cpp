#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "text/jinja/big_int.hpp"
#include "text/jinja/code_points.hpp"
#include "text/jinja/filter_functions.hpp"
#include "text/jinja/format_spec.hpp"
#include "text/jinja/number_text.hpp"
#include "text/jinja/numbers.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/operators.hpp"
#include "text/jinja/python_unicode.hpp"
#include "text/jinja/runtime.hpp"
#include "text/jinja/text_functions.hpp"

namespace kvgate::jinja {
namespace {

// Digits of any script as ASCII, as int() and float() take them.
std::string ascii_digits(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += width_at(text, at)) {
    char32_t const c = code_point_at(text, at);
    c >= 0x80 && is_decimal(c) ? void(out += static_cast<char>('0' + decimal_value(c))) : append_utf8(out, c);
  }
  return out;
}

int digit_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  char const lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'z' ? lower - 'a' + 10 : 99;
}

// Digits of the base with single underscores between them, or nothing.
std::optional<std::string> plain_digits(std::string_view text, int base, bool after_prefix) {
  std::string digits;
  bool underscore = !after_prefix;  // none may stand first
  for (char const c : text) {
    if (c == '_') {
      if (underscore) return std::nullopt;
      underscore = true;
      continue;
    }
    if (digit_value(c) >= base) return std::nullopt;
    digits += c;
    underscore = false;
  }
  if (underscore || digits.empty()) return std::nullopt;
  return digits;
}

/// int(text, base); nullopt for ValueError.
std::optional<Value> python_int(Runtime& runtime, std::string_view source, int base) {
  runtime.spend_bytes(8 * source.size());
  std::string const ascii = ascii_digits(strip(source));
  std::string_view text = ascii;
  bool const negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  char const letter = text.size() > 1 && text[0] == '0' ? static_cast<char>(text[1] | 0x20) : '\0';
  int const prefixed = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
  bool const prefix = prefixed != 0 && (base == prefixed || base == 0);
  if (prefix) text.remove_prefix(2);
  int const used = base == 0 ? (prefix ? prefixed : 10) : base;
  std::optional<std::string> const digits = plain_digits(text, used, prefix);
  if (!digits || (used == 10 && digits->size() > max_int_digits)) return std::nullopt;
  if (base == 0 && !prefix && digits->size() > 1 && digits->front() == '0' &&
      digits->find_first_not_of('0') != std::string::npos) {
    return std::nullopt;
  }
  std::optional<Value> const value = parse_int(*digits, negative, used, runtime.arena);
  if (!value) over_limit("an integer becomes too large");
  return value;
}

// int(float(text)) for what int(text) refuses, as "42.7".
std::optional<Value> int_through_float(Runtime& runtime, std::string_view text) {
  std::optional<double> const number = python_float(ascii_digits(text));
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return int_from_double(*number, runtime.arena);
}

std::optional<Value> int_of_float(Runtime& runtime, double number) {
  if (std::isinf(number)) raise("OverflowError", "cannot convert float infinity to integer");
  return std::isnan(number) ? std::nullopt : std::optional<Value>(int_from_double(number, runtime.arena));
}

Value round_up_or_down(Runtime& runtime, Value const& number, std::int64_t precision, bool up) {
  if (precision < 0 || precision > 300) unsupported("rounding with such a precision is not supported");
  Value const scale = arithmetic(runtime, ExprKind::power, Value::integer(10), Value::integer(precision));
  Value const scaled = arithmetic(runtime, ExprKind::multiply, number, scale);
  Value whole = scaled;
  if (scaled.is(Kind::floating)) {
    if (std::isnan(scaled.floating())) value_error("cannot convert float NaN to integer");
    double const rounded = up ? std::ceil(scaled.floating()) : std::floor(scaled.floating());
    whole = *int_of_float(runtime, rounded);
  }
  return arithmetic(runtime, ExprKind::divide, whole, scale);
}

}  // namespace

Value filter_abs(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"abs", {}});
  if (subject.is(Kind::floating)) return Value::floating(std::fabs(subject.floating()));
  if (!subject.is_number()) type_error("bad operand type for abs(): " + quoted(type_name(subject)));
  bool const negative = subject.is_int() ? subject.int64() < 0 : subject.big().negative;
  return negative ? negate(runtime, subject) : plus(subject);
}

Value filter_int(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_int", {"default", "base"}});
  Value const fallback = bound.get(0, Value::integer(0));
  std::int64_t const base = bound[1] ? int_argument(*bound[1], "int") : 10;
  if (subject.is_undefined()) raise_undefined(subject.why_undefined());
  std::optional<Value> result;
  if (subject.is_string()) {
    bool const valid = base == 0 || (base >= 2 && base <= 36);
    if (valid && base > 16) unsupported("integers in a base over 16 are not supported");
    if (valid) result = python_int(runtime, subject.text(), static_cast<int>(base));
    if (!result) result = int_through_float(runtime, subject.text());
  } else if (subject.is(Kind::floating)) {
    result = int_of_float(runtime, subject.floating());
  } else if (subject.is_number()) {
    result = plus(subject);
  }
  return result.value_or(fallback);
}

Value filter_float(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_float", {"default"}});
  if (subject.is_undefined()) raise_undefined(subject.why_undefined());
  if (subject.is_number()) return Value::floating(as_double(subject));
  if (subject.is_string()) {
    runtime.spend_bytes(8 * subject.text().size());
    if (std::optional<double> const number = python_float(ascii_digits(subject.text())))
      return Value::floating(*number);
  }
  return bound.get(0, Value::floating(0.0));
}

Value filter_round(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_round", {"precision", "method"}});
  std::string_view const method = bound[1] && bound[1]->is_string() ? bound[1]->text() : bound[1] ? "" : "common";
  if (method != "common" && method != "ceil" && method != "floor") {
    raise("FilterArgumentError", "method must be common, ceil or floor");
  }
  std::int64_t const precision = bound[0] ? int_argument(*bound[0], "round") : 0;
  if (subject.is_undefined()) raise_undefined(subject.why_undefined());
  if (!subject.is_number()) {
    type_error("type " + std::string(type_name(subject)) + " doesn't define __round__ method");
  }
  if (method != "common") return round_up_or_down(runtime, subject, precision, method == "ceil");
  if (subject.is(Kind::floating)) {
    std::int64_t const digits = std::clamp<std::int64_t>(precision, -400, 400);
    return Value::floating(round_float(subject.floating(), static_cast<int>(digits)));
  }
  if (precision < 0) unsupported("rounding to tens, hundreds, ... is not supported");
  return plus(subject);
}

Value filter_filesizeformat(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  static constexpr std::string_view prefixes = "kMGTPEZY";
  Bound const bound(arguments, {"do_filesizeformat", {"binary"}});
  if (!subject.is_number()) unsupported("filesizeformat of something that is no number is not supported");
  bool const binary = bound[0] && truthy(*bound[0]);
  double const bytes = as_double(subject), base = binary ? 1024 : 1000;
  if (bytes == 1) return Value::string("1 Byte");
  if (std::isnan(bytes)) unsupported("filesizeformat of NaN is not supported");
  if (bytes < base) return runtime.text(std::to_string(static_cast<std::int64_t>(bytes)) + " Bytes");
  double unit = base;
  std::size_t prefix = 0;
  do unit *= base;
  while (bytes >= unit && ++prefix < prefixes.size());
  prefix = std::min(prefix, prefixes.size() - 1);
  if (bytes >= unit) unit = std::pow(base, static_cast<double>(prefixes.size() + 1));
  char letter = prefixes[prefix];
  if (binary && letter == 'k') letter = 'K';
  return runtime.text(float_digits(runtime, base * bytes / unit, 'f', 1, false) + " " + letter + (binary ? "iB" : "B"));
}

}  // namespace kvgate::jinja
