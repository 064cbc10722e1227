#include "text/jinja/big_int.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

namespace kvgate::jinja {
namespace {

using cpp_int = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>, boost::multiprecision::et_off>;

constexpr std::size_t kMaxBits = 32768;

cpp_int load(BigInt const& value) {
  cpp_int out;
  import_bits(out, value.limbs, value.limbs + value.count, 64, false);
  return value.negative ? cpp_int(-out) : out;
}

cpp_int load(Value const& value) {
  return value.is(Kind::big_integer) ? load(value.big()) : cpp_int(value.int64());
}

Value store(cpp_int const& value, Arena& arena) {
  if (value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::int64_t>::max()) {
    return Value::integer(static_cast<std::int64_t>(value));
  }
  std::vector<std::uint64_t> limbs;
  export_bits(abs(value), std::back_inserter(limbs), 64, false);
  auto* copy = arena.allocate_array<std::uint64_t>(limbs.size());
  std::copy(limbs.begin(), limbs.end(), copy);
  return Value::big_integer(arena.create<BigInt>(value < 0, static_cast<std::uint32_t>(limbs.size()), copy));
}

std::size_t bits(cpp_int const& value) {
  return value == 0 ? 0 : msb(abs(value)) + 1;
}

cpp_int floor_divide(cpp_int const& left, cpp_int const& right) {
  cpp_int quotient, remainder;
  divide_qr(left, right, quotient, remainder);
  if (remainder != 0 && (remainder < 0) != (right < 0)) --quotient;
  return quotient;
}

std::optional<cpp_int> raise(cpp_int const& base, cpp_int const& exponent) {
  if (base == 0 || base == 1) return exponent == 0 ? cpp_int(1) : base;
  if (base == -1) return exponent % 2 == 0 ? cpp_int(1) : base;
  if (exponent > kMaxBits || (bits(base) - 1) * static_cast<std::size_t>(exponent) > kMaxBits) return std::nullopt;
  return pow(base, static_cast<unsigned>(exponent));
}

}  // namespace

std::optional<Value> int_arithmetic(IntOp op, Value const& left, Value const& right, Arena& arena) {
  cpp_int const a = load(left), b = load(right);
  std::optional<cpp_int> result;
  switch (op) {
    case IntOp::add:
      result = a + b;
      break;
    case IntOp::subtract:
      result = a - b;
      break;
    case IntOp::multiply:
      result = a * b;
      break;
    case IntOp::floor_divide:
      result = floor_divide(a, b);
      break;
    case IntOp::modulo:
      result = a - floor_divide(a, b) * b;
      break;
    case IntOp::power:
      result = raise(a, b);
      break;
  }
  if (!result || bits(*result) > kMaxBits) return std::nullopt;
  return store(*result, arena);
}

std::optional<Value> parse_int(std::string_view digits, bool negative, int base, Arena& arena) {
  if (digits.size() > kMaxBits) return std::nullopt;
  cpp_int value = 0;
  for (char const c : digits) {
    value *= base;
    value += c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
  }
  if (bits(value) > kMaxBits) return std::nullopt;
  return store(negative ? cpp_int(-value) : value, arena);
}

int compare_ints(Value const& left, Value const& right) noexcept {
  if (left.is_int() && right.is_int()) return (left.int64() > right.int64()) - (left.int64() < right.int64());
  int const sign_left = left.is_int() ? 0 : left.big().negative ? -1 : 1;
  int const sign_right = right.is_int() ? 0 : right.big().negative ? -1 : 1;
  if (sign_left != sign_right) return sign_left < sign_right ? -1 : 1;
  BigInt const& a = left.big();
  BigInt const& b = right.big();
  if (a.count != b.count) return (a.count < b.count) == (sign_left > 0) ? -1 : 1;
  for (std::uint32_t i = a.count; i-- > 0;) {
    if (a.limbs[i] != b.limbs[i]) return (a.limbs[i] < b.limbs[i]) == (sign_left > 0) ? -1 : 1;
  }
  return 0;
}

double to_double(BigInt const& value) noexcept {
  // Round half to even by hand: the top 64 bits with a sticky bit are enough for 53.
  std::uint32_t const top = value.count - 1;
  int const shift = __builtin_clzll(value.limbs[top]);
  std::uint64_t mantissa = value.limbs[top] << shift;
  bool sticky = false;
  if (top > 0) {
    if (shift > 0) mantissa |= value.limbs[top - 1] >> (64 - shift);
    sticky = (shift > 0 ? value.limbs[top - 1] << shift : value.limbs[top - 1]) != 0;
    for (std::uint32_t i = 0; i + 1 < top; ++i) sticky = sticky || value.limbs[i] != 0;
  }
  if (sticky) mantissa |= 1;
  double const magnitude = std::ldexp(static_cast<double>(mantissa), static_cast<int>(top * 64) - shift);
  return value.negative ? -magnitude : magnitude;
}

double divide_ints(Value const& left, Value const& right) {
  constexpr double exact = 0x1p53;
  if (left.is_int() && right.is_int()) {
    auto const a = static_cast<double>(left.int64()), b = static_cast<double>(right.int64());
    if (a > -exact && a < exact && b > -exact && b < exact) return a / b;
  }
  // 66 bits of quotient and a sticky bit round right.
  cpp_int a = abs(load(left));
  cpp_int const divisor = load(right), b = abs(divisor);
  if (a == 0) return divisor < 0 ? -0.0 : 0.0;
  int const shift = 66 - (static_cast<int>(bits(a)) - static_cast<int>(bits(b)));
  if (shift > 0) a <<= shift;
  cpp_int quotient, remainder;
  divide_qr(a, shift < 0 ? cpp_int(b << -shift) : b, quotient, remainder);
  if (remainder != 0) quotient |= 1;
  Arena arena;
  double const magnitude = std::ldexp(to_double(store(quotient, arena).big()), -shift);
  return (load(left) < 0) != (divisor < 0) ? -magnitude : magnitude;
}

Value int_from_double(double number, Arena& arena) {
  double const whole = std::trunc(number);
  if (whole >= -0x1p63 && whole < 0x1p63) return Value::integer(static_cast<std::int64_t>(whole));
  return store(cpp_int(whole), arena);
}

std::string to_decimal(BigInt const& value) {
  return load(value).str();
}

std::string to_base(Value const& value, int base) {
  cpp_int const number = load(value), magnitude = abs(number);
  std::string digits;
  if (base == 2) {
    for (std::size_t bit = std::max<std::size_t>(1, bits(magnitude)); bit-- > 0;) {
      digits += bit_test(magnitude, static_cast<unsigned>(bit)) ? '1' : '0';
    }
  } else {
    digits = magnitude.str(0, base == 8 ? std::ios_base::oct : std::ios_base::hex);
  }
  return number < 0 ? "-" + digits : digits;
}

}  // namespace kvgate::jinja
