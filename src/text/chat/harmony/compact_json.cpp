#include "text/chat/harmony/compact_json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "text/jinja/big_int.hpp"

namespace kvgate::text::harmony {
namespace {

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kNamed = "\b\t\n\f\r\"\\";
  constexpr std::string_view kLetters = "btnfr\"\\";
  if (auto const at = kNamed.find(c); at != kNamed.npos) {
    out.append({'\\', kLetters[at]});
  } else if (static_cast<unsigned char>(c) < 0x20) {
    out.append("\\u00").append({kHex[static_cast<unsigned char>(c) >> 4], kHex[c & 15]});
  } else {
    out += c;
  }
}

void append_text(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) append_escaped(out, c);
  out += '"';
}

/// Shortest digits, with the point where Rust's ryu puts it.
void append_double(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  std::array<char, 40> buffer;
  auto const end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(number), std::chars_format::scientific).ptr;
  std::string_view const text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  std::size_t const e = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), end, exponent);
  std::string digits(1, text[0]);
  if (e > 2) digits.append(text.substr(2, e - 2));
  int const count = static_cast<int>(digits.size());
  int const point = exponent + 1;  // digits before the decimal point
  if (std::signbit(number)) out += '-';
  if (number == 0) {
    out += "0.0";
  } else if (count <= point && point <= 16) {
    out.append(digits).append(static_cast<std::size_t>(point - count), '0').append(".0");
  } else if (0 < point && point <= 16) {
    out.append(digits, 0, static_cast<std::size_t>(point)).append(".").append(digits, static_cast<std::size_t>(point));
  } else if (-5 < point && point <= 0) {
    out.append("0.").append(static_cast<std::size_t>(-point), '0').append(digits);
  } else {
    out += digits[0];
    if (count > 1) out.append(".").append(digits, 1);
    out.append(exponent < 0 ? "e" : "e+").append(std::to_string(exponent));
  }
}

void append_big(std::string& out, jinja::BigInt const& number) {
  std::string const decimal = jinja::to_decimal(number);
  bool const fits = !number.negative && number.count == 1;  // unsigned 64 bits
  if (fits) {
    out += decimal;
  } else {
    append_double(out, jinja::to_double(number));
  }
}

}  // namespace

void append_compact_json(std::string& out, Value const& value) {
  using jinja::Kind;
  switch (value.kind()) {
    case Kind::boolean:
      out += value.boolean() ? "true" : "false";
      return;
    case Kind::integer:
      out += std::to_string(value.int64());
      return;
    case Kind::big_integer:
      append_big(out, value.big());
      return;
    case Kind::floating:
      append_double(out, value.floating());
      return;
    case Kind::string:
    case Kind::markup:
      append_text(out, value.text());
      return;
    case Kind::list:
    case Kind::tuple:
      out += '[';
      for (Value const& item : value.items()) {
        if (&item != value.items().data()) out += ',';
        append_compact_json(out, item);
      }
      out += ']';
      return;
    case Kind::dict:
      out += '{';
      for (auto const& entry : value.dict().entries()) {
        if (&entry != value.dict().entries().data()) out += ',';
        append_text(out, entry.key.text());
        out += ':';
        append_compact_json(out, entry.value);
      }
      out += '}';
      return;
    default:
      out += "null";
  }
}

}  // namespace kvgate::text::harmony
