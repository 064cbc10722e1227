#include "text/jinja/numbers.hpp"

#include <cmath>
#include <cstdio>

#include "text/jinja/big_int.hpp"
#include "text/jinja/number_text.hpp"
#include "text/jinja/runtime.hpp"

namespace kvgate::jinja {
namespace {

[[noreturn]] void zero_division(char const* message) {
  raise("ZeroDivisionError", message);
}

IntOp int_op(ExprKind kind) noexcept {
  switch (kind) {
    case ExprKind::add:
      return IntOp::add;
    case ExprKind::subtract:
      return IntOp::subtract;
    case ExprKind::multiply:
      return IntOp::multiply;
    case ExprKind::floor_divide:
      return IntOp::floor_divide;
    case ExprKind::modulo:
      return IntOp::modulo;
    default:
      return IntOp::power;
  }
}

bool is_zero(Value const& value) noexcept {
  return value.is_int() && value.int64() == 0;
}

// The common case: 64 bits in and out.
bool small_arithmetic(ExprKind kind, std::int64_t a, std::int64_t b, std::int64_t& out) noexcept {
  switch (kind) {
    case ExprKind::add:
      return !__builtin_add_overflow(a, b, &out);
    case ExprKind::subtract:
      return !__builtin_sub_overflow(a, b, &out);
    case ExprKind::multiply:
      return !__builtin_mul_overflow(a, b, &out);
    case ExprKind::floor_divide:
      if (b == -1) return false;
      out = a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
      return true;
    case ExprKind::modulo:
      if (b == -1) return false;
      out = a % b != 0 && (a % b < 0) != (b < 0) ? a % b + b : a % b;
      return true;
    default:
      return false;
  }
}

Value int_arithmetic_of(Runtime& runtime, ExprKind kind, Value const& left, Value const& right) {
  bool const divides = kind == ExprKind::floor_divide || kind == ExprKind::modulo;
  if (divides && is_zero(right)) zero_division("integer division or modulo by zero");
  std::int64_t small = 0;
  if (left.is_int() && right.is_int() && small_arithmetic(kind, left.int64(), right.int64(), small)) {
    return Value::integer(small);
  }
  runtime.spend(64);
  std::optional<Value> const result = int_arithmetic(int_op(kind), left, right, runtime.arena);
  if (!result) over_limit("an integer becomes too large");
  return *result;
}

double float_modulo(double a, double b) {
  if (b == 0) zero_division("float modulo by zero");
  double remainder = std::fmod(a, b);
  if (remainder == 0) return std::copysign(0.0, b);
  return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

double float_floor_divide(double a, double b) {
  if (b == 0) zero_division("float floor division by zero");
  double const remainder = std::fmod(a, b);
  double quotient = (a - remainder) / b;
  if (remainder != 0 && (remainder < 0) != (b < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, a / b);
  double const whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

double float_power(double a, double b) {
  if (a == 0 && b < 0) zero_division("0.0 cannot be raised to a negative power");
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b)) {
    unsupported("a complex number as result of ** is not supported");
  }
  double const result = std::pow(a, b);
  if (std::isinf(result) && std::isfinite(a) && std::isfinite(b)) {
    raise("OverflowError", "(34, 'Numerical result out of range')");
  }
  return result;
}

double true_divide(Value const& left, Value const& right) {
  bool const ints = !left.is(Kind::floating) && !right.is(Kind::floating);
  if (is_zero(right) || (right.is(Kind::floating) && right.floating() == 0)) {
    zero_division(ints ? "division by zero" : "float division by zero");
  }
  if (!ints) return as_double(left) / as_double(right);
  double const result = divide_ints(left, right);
  if (std::isinf(result)) raise("OverflowError", "integer division result too large for a float");
  return result;
}

}  // namespace

double as_double(Value const& number) {
  if (number.is(Kind::floating)) return number.floating();
  if (number.is_int()) return static_cast<double>(number.int64());
  double const value = to_double(number.big());
  if (std::isinf(value)) raise("OverflowError", "int too large to convert to float");
  return value;
}

Value number_arithmetic(Runtime& runtime, ExprKind kind, Value const& left, Value const& right) {
  bool const ints = !left.is(Kind::floating) && !right.is(Kind::floating);
  if (kind == ExprKind::divide) return Value::floating(true_divide(left, right));
  bool const negative_power =
      kind == ExprKind::power && ints && (right.is_int() ? right.int64() < 0 : right.big().negative);
  if (ints && !negative_power) return int_arithmetic_of(runtime, kind, left, right);
  double const a = as_double(left), b = as_double(right);
  switch (kind) {
    case ExprKind::add:
      return Value::floating(a + b);
    case ExprKind::subtract:
      return Value::floating(a - b);
    case ExprKind::multiply:
      return Value::floating(a * b);
    case ExprKind::floor_divide:
      return Value::floating(float_floor_divide(a, b));
    case ExprKind::modulo:
      return Value::floating(float_modulo(a, b));
    default:
      return Value::floating(float_power(a, b));
  }
}

double round_float(double number, int digits) {
  if (digits < 0) unsupported("rounding to tens, hundreds, ... is not supported");
  if (!std::isfinite(number) || digits > 323) return number;
  char buffer[700];
  int const length = std::snprintf(buffer, sizeof buffer, "%.*f", digits, number);
  return read_double({buffer, static_cast<std::size_t>(length)});
}

}  // namespace kvgate::jinja
