#include "text/jinja/format_spec.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "text/jinja/big_int.hpp"
#include "text/jinja/code_points.hpp"
#include "text/jinja/number_text.hpp"
#include "text/jinja/numbers.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/python_text.hpp"
#include "text/jinja/runtime.hpp"

namespace kvgate::jinja {
namespace {

bool is_align(char c) noexcept {
  return c == '<' || c == '>' || c == '=' || c == '^';
}

class SpecReader {
 public:
  explicit SpecReader(std::string_view text) : text_(text) {}

  FormatSpec read() {
    read_align();
    if (any_of("+- ")) spec_.sign = text_[at_++];
    if (take('z')) unsupported("the option z of a format specification is not supported");
    spec_.alternate = take('#');
    if (take('0') && spec_.align == '\0') {
      spec_.fill = "0";
      spec_.align = '=';
    }
    spec_.width = std::max<std::int64_t>(0, number());
    if (any_of(",_")) spec_.grouping = text_[at_++];
    if (take('.')) {
      spec_.precision = number();
      if (spec_.precision < 0) value_error("Format specifier missing precision");
    }
    if (at_ < text_.size()) spec_.type = text_[at_++];
    if (at_ < text_.size()) value_error("Invalid format specifier");
    return spec_;
  }

 private:
  void read_align() {
    std::size_t const width = text_.empty() ? 0 : width_at(text_, 0);
    if (width < text_.size() && is_align(text_[width])) {
      spec_.fill = text_.substr(0, width);
      spec_.align = text_[width];
      at_ = width + 1;
    } else if (!text_.empty() && is_align(text_[0])) {
      spec_.align = text_[at_++];
    }
  }

  bool any_of(std::string_view set) const {
    return at_ < text_.size() && set.find(text_[at_]) != std::string_view::npos;
  }
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::int64_t number() {
    std::int64_t value = -1;
    auto const [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) value_error("Too many decimal digits in format string");
    if (error != std::errc() || any_of("-")) return -1;
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  FormatSpec spec_;
};

[[noreturn]] void unknown_code(char code, Value const& value) {
  value_error("Unknown format code " + quoted({&code, 1}) + " for object of type " + quoted(type_name(value)));
}

std::string pad(Runtime& runtime, FormatSpec const& spec, std::string_view text, char align) {
  auto const missing = spec.width - static_cast<std::int64_t>(length(text));
  std::int64_t const before = align == '>' ? missing : align == '^' ? missing / 2 : 0;
  TextBuilder out(runtime);
  runtime.spend_bytes(static_cast<std::size_t>(std::max<std::int64_t>(0, missing)));
  out.repeat(spec.fill, before);
  out.append(text);
  out.repeat(spec.fill, missing - std::max<std::int64_t>(0, before));
  return std::move(out.raw());
}

std::string format_text(Runtime& runtime, std::string_view text, FormatSpec const& spec) {
  if (spec.sign != '-') value_error("Sign not allowed in string format specifier");
  if (spec.align == '=') value_error("'=' alignment not allowed in string format specifier");
  if (spec.grouping != '\0') value_error("Cannot specify '" + std::string(1, spec.grouping) + "' with 's'.");
  if (spec.precision >= 0) text = text.substr(0, byte_offset(text, static_cast<std::size_t>(spec.precision)));
  return pad(runtime, spec, text, spec.align == '\0' ? '<' : spec.align);
}

// Separators every three digits of the part before the point (every four for hex and the like).
void group(std::string& body, char separator, std::size_t every) {
  std::size_t digits = 0;
  while (digits < body.size() && std::isxdigit(static_cast<unsigned char>(body[digits]))) ++digits;
  for (std::size_t at = digits; at > every; at -= every) body.insert(at - every, 1, separator);
}

std::string_view sign_of(FormatSpec const& spec, bool negative) noexcept {
  if (negative) return "-";
  return spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "";
}

std::string int_digits(Value const& value, FormatSpec const& spec) {
  std::string digits;
  switch (spec.type) {
    case 'x':
    case 'X':
      digits = to_base(value, 16);
      break;
    case 'o':
      digits = to_base(value, 8);
      break;
    case 'b':
      digits = to_base(value, 2);
      break;
    default:
      append_int(digits, value);
  }
  if (spec.type == 'X')
    std::transform(digits.begin(), digits.end(), digits.begin(),
                   [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
  return digits;
}

std::string format_int(Runtime& runtime, Value const& value, FormatSpec const& spec) {
  if (spec.precision >= 0) value_error("Precision not allowed in integer format specifier");
  std::string digits = int_digits(value.is(Kind::boolean) ? Value::integer(value.int64()) : value, spec);
  bool const negative = digits.starts_with('-');
  if (negative) digits.erase(0, 1);
  bool const decimal = spec.type == '\0' || spec.type == 'd' || spec.type == 'n';
  if (spec.grouping == ',' && !decimal) value_error("Cannot specify ',' with '" + std::string(1, spec.type) + "'.");
  if (spec.grouping != '\0' && spec.fill == "0" && spec.align == '=') {
    unsupported("zero padding with digit groups is not supported");
  }
  if (spec.grouping != '\0') group(digits, spec.grouping, decimal ? 3 : 4);
  std::string sign(sign_of(spec, negative));
  if (spec.alternate && !decimal) sign.append("0").append(1, spec.type);
  return pad_number(runtime, spec, sign, std::move(digits));
}

std::string format_float(Runtime& runtime, double number, FormatSpec const& spec) {
  double const magnitude = std::fabs(number);
  char const type = spec.type == '%' ? 'f' : spec.type;
  std::string digits;
  if (type == '\0' && spec.precision < 0) {
    append_float(digits, magnitude);
  } else if (type == '\0') {
    unsupported("a precision without a type in a format specification is not supported");
  } else {
    std::int64_t const precision = spec.precision < 0 ? 6 : spec.precision;
    digits = float_digits(runtime, spec.type == '%' ? magnitude * 100 : magnitude, type == 'n' ? 'g' : type, precision,
                          spec.alternate);
  }
  if (spec.grouping != '\0' && spec.fill == "0" && spec.align == '=') {
    unsupported("zero padding with digit groups is not supported");
  }
  if (spec.grouping != '\0' && std::isfinite(number)) group(digits, spec.grouping, 3);
  if (spec.type == '%') digits += '%';
  return pad_number(runtime, spec, sign_of(spec, std::signbit(number) && !std::isnan(number)), std::move(digits));
}

std::string format_number(Runtime& runtime, Value const& value, FormatSpec const& spec) {
  constexpr std::string_view int_types = "bdoxXn", float_types = "eEfFgG%";
  bool const is_float = value.is(Kind::floating);
  if (spec.type == 'c') unsupported("the type c of a format specification is not supported");
  if (!is_float && (spec.type == '\0' || int_types.find(spec.type) != std::string_view::npos)) {
    return format_int(runtime, value, spec);
  }
  bool const fits = is_float ? spec.type == '\0' || spec.type == 'n' : false;
  if (!fits && float_types.find(spec.type) == std::string_view::npos) unknown_code(spec.type, value);
  return format_float(runtime, as_double(value), spec);
}

}  // namespace

std::string float_digits(Runtime& runtime, double magnitude, char type, std::int64_t precision, bool alternate) {
  if (std::isnan(magnitude) || std::isinf(magnitude)) {
    bool const upper = type >= 'A' && type <= 'Z';
    return std::isnan(magnitude) ? (upper ? "NAN" : "nan") : upper ? "INF" : "inf";
  }
  if (precision > 1'000'000) over_limit("a format asks for too many digits");
  runtime.spend(static_cast<std::uint64_t>(precision));
  std::string const format = std::string("%") + (alternate ? "#" : "") + ".*" + type;
  std::string digits(static_cast<std::size_t>(precision) + 400, '\0');
  int const size = std::snprintf(digits.data(), digits.size(), format.c_str(), static_cast<int>(precision), magnitude);
  digits.resize(static_cast<std::size_t>(size));
  return digits;
}

std::string pad_number(Runtime& runtime, FormatSpec const& spec, std::string_view sign, std::string body) {
  if (spec.align != '=') {
    body.insert(0, sign);
    return pad(runtime, spec, body, spec.align == '\0' ? '>' : spec.align);
  }
  auto const missing = spec.width - static_cast<std::int64_t>(sign.size() + body.size());
  runtime.spend_bytes(static_cast<std::size_t>(std::max<std::int64_t>(0, missing)));
  TextBuilder out(runtime);
  out.append(sign);
  out.repeat(spec.fill, missing);
  out.append(body);
  return std::move(out.raw());
}

std::string format_value(Runtime& runtime, Value const& value, std::string_view spec) {
  if (spec.empty()) return std::string(str_of(runtime, value));
  if (value.is_string()) {
    FormatSpec const parsed = SpecReader(spec).read();
    if (parsed.type != '\0' && parsed.type != 's') unknown_code(parsed.type, value);
    FormatSpec text = parsed;
    if (text.fill == "0" && text.align == '=') text.align = '<';  // "{:05}" of a str fills with zeros behind it
    return format_text(runtime, value.text(), text);
  }
  if (value.is_number()) {
    FormatSpec const parsed = SpecReader(spec).read();
    return format_number(runtime, value, parsed);
  }
  type_error("unsupported format string passed to " + std::string(type_name(value)) + ".__format__");
}

}  // namespace kvgate::jinja
