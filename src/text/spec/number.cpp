// Scores decide ties, so they have to be the library's to the last bit: it collects up to 64 bits of digits and then
// multiplies or divides once by a power of ten, which rounds twice.
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "text/spec/json.hpp"

namespace kvgate::text::spec {
namespace {

constexpr int kLargestPower = 308;

/// Correctly rounded powers of ten, as literals of a compiler would be.
std::array<double, kLargestPower + 1> const& powers_of_ten() {
  static std::array<double, kLargestPower + 1> const table = [] {
    std::array<double, kLargestPower + 1> powers{};
    for (int i = 0; i <= kLargestPower; ++i) {
      std::string const text = "1e" + std::to_string(i);
      std::from_chars(text.data(), text.data() + text.size(), powers[static_cast<std::size_t>(i)]);
    }
    return powers;
  }();
  return table;
}

struct Digits {
  std::uint64_t significand = 0;
  std::int64_t exponent = 0;
};

bool is_digit(std::string_view text) noexcept {
  return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

/// True if the digit went into the significand; false once it would overflow.
bool take(Digits& digits, char c) noexcept {
  auto const digit = static_cast<std::uint64_t>(c - '0');
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  if (digits.significand > kMost / 10 || (digits.significand == kMost / 10 && digit > kMost % 10)) return false;
  digits.significand = digits.significand * 10 + digit;
  return true;
}

/// The digits before the point. Those that do not fit only count.
void read_whole(std::string_view& text, Digits& digits) {
  bool fits = true;
  for (; is_digit(text); text.remove_prefix(1)) {
    fits = fits && take(digits, text[0]);
    if (!fits) ++digits.exponent;
  }
}

/// The digits after the point. Those that do not fit are lost.
void read_fraction(std::string_view& text, Digits& digits) {
  if (!text.starts_with('.')) return;
  text.remove_prefix(1);
  bool fits = true;
  for (; is_digit(text); text.remove_prefix(1)) {
    fits = fits && take(digits, text[0]);
    if (fits) --digits.exponent;
  }
}

void read_exponent(std::string_view& text, Digits& digits) {
  if (!text.starts_with('e') && !text.starts_with('E')) return;
  text.remove_prefix(1);
  bool const negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t exponent = 0;
  for (; is_digit(text); text.remove_prefix(1))
    exponent = std::min<std::int64_t>(exponent * 10 + (text[0] - '0'), 1 << 30);
  digits.exponent += negative ? -exponent : exponent;
}

double scaled(Digits digits) {
  double value = static_cast<double>(digits.significand);
  while (digits.exponent < -kLargestPower && value != 0) {
    value /= 1e308;
    digits.exponent += kLargestPower;
  }
  if (value == 0 || digits.exponent < -kLargestPower) return 0;
  if (digits.exponent > kLargestPower) throw SpecError{"Unigram: a score is out of range"};
  auto const power = powers_of_ten()[static_cast<std::size_t>(std::abs(digits.exponent))];
  value = digits.exponent >= 0 ? value * power : value / power;
  if (std::isinf(value)) throw SpecError{"Unigram: a score is out of range"};
  return value;
}

}  // namespace

double number_like_library(std::string_view token) {
  bool const negative = token.starts_with('-');
  if (negative) token.remove_prefix(1);
  if (!is_digit(token)) throw SpecError{"Unigram: a score must be a number"};
  Digits digits;
  read_whole(token, digits);
  read_fraction(token, digits);
  read_exponent(token, digits);
  double const value = scaled(digits);
  return negative ? -value : value;
}

}  // namespace kvgate::text::spec
