#include "text/jinja/number_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/ascii.hpp"
#include "text/jinja/code_points.hpp"

namespace kvgate::jinja {
namespace {

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

struct Digits {
  char text[24];
  int count = 0;
  int exponent = 0;  ///< of the first digit
};

// to_chars writes "d.ddde+xx" with as few digits as read back the same.
Digits shortest_digits(double magnitude) noexcept {
  char buffer[40];
  char const* const end = std::to_chars(buffer, buffer + sizeof buffer, magnitude, std::chars_format::scientific).ptr;
  Digits digits;
  char const* at = buffer;
  for (; at != end && *at != 'e'; ++at) {
    if (*at != '.') digits.text[digits.count++] = *at;
  }
  ++at;
  std::from_chars(at + (*at == '+' ? 1 : 0), end, digits.exponent);
  return digits;
}

void append_plain(std::string& out, Digits const& digits) {
  int const point = digits.exponent + 1;
  if (point <= 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-point), '0').append(digits.text, static_cast<std::size_t>(digits.count));
    return;
  }
  for (int i = 0; i < std::max(point, digits.count); ++i) {
    if (i == point) out += '.';
    out += i < digits.count ? digits.text[i] : '0';
  }
  if (digits.count <= point) out += ".0";
}

void append_scientific(std::string& out, Digits const& digits) {
  out += digits.text[0];
  if (digits.count > 1) out.append(1, '.').append(digits.text + 1, static_cast<std::size_t>(digits.count - 1));
  out += digits.exponent < 0 ? "e-" : "e+";
  int const exponent = std::abs(digits.exponent);
  if (exponent < 10) out += '0';
  out += std::to_string(exponent);
}

// Python takes underscores only between two digits.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      plain += text[i];
      continue;
    }
    if (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1])) return std::nullopt;
  }
  return plain;
}

}  // namespace

void append_float(std::string& out, double number) {
  if (std::isnan(number)) {
    out += "nan";
    return;
  }
  if (std::signbit(number)) out += '-';
  if (std::isinf(number)) {
    out += "inf";
    return;
  }
  Digits const digits = shortest_digits(std::fabs(number));
  if (digits.exponent < -4 || digits.exponent >= 16) {
    append_scientific(out, digits);
  } else {
    append_plain(out, digits);
  }
}

double read_double(std::string_view literal) noexcept {
  double number = 0;
  auto const [end, error] = std::from_chars(literal.data(), literal.data() + literal.size(), number);
  if (error != std::errc::result_out_of_range) return number;
  // Which end of the range shows in the sign of the exponent, or in how the digits begin when there is none.
  bool const negative = literal.front() == '-';
  std::size_t const e = literal.find_first_of("eE");
  bool const tiny = e == std::string_view::npos ? literal.substr(negative ? 1 : 0).starts_with("0.")
                                                : literal.substr(e + 1).starts_with('-');
  double const magnitude = tiny ? 0.0 : std::numeric_limits<double>::infinity();
  return negative ? -magnitude : magnitude;
}

std::optional<double> python_float(std::string_view text) {
  std::optional<std::string> plain = without_underscores(strip(text));
  if (!plain) return std::nullopt;
  std::string_view number = *plain;
  bool const negative = number.starts_with('-');
  if (negative || number.starts_with('+')) number.remove_prefix(1);
  if (number.empty()) return std::nullopt;
  double magnitude = 0;
  if (is_digit(number.front()) || number.front() == '.') {
    auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), magnitude);
    if (end != number.data() + number.size()) return std::nullopt;
    if (error == std::errc::result_out_of_range) magnitude = read_double(number);
  } else if (iequals(number, "inf") || iequals(number, "infinity")) {
    magnitude = std::numeric_limits<double>::infinity();
  } else if (iequals(number, "nan")) {
    magnitude = std::numeric_limits<double>::quiet_NaN();
  } else {
    return std::nullopt;
  }
  return negative ? -magnitude : magnitude;
}

}  // namespace kvgate::jinja
