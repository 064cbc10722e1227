// Integers over 64 bits. Rare, so simple: every operation goes through Boost.Multiprecision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "text/jinja/value.hpp"

namespace kvgate::jinja {

/// Sign and magnitude; never a number that fits std::int64_t. Lives in an arena.
struct BigInt {
  bool negative;
  std::uint32_t count;
  std::uint64_t const* limbs;  ///< lowest first, highest not zero
};

/// Python refuses to convert longer ones from and to text.
constexpr std::size_t max_int_digits = 4300;

enum class IntOp { add, subtract, multiply, floor_divide, modulo, power };

/// Exact, with Python's signs for floor_divide and modulo. Operands are integers or booleans of any size; a divisor is
/// not zero, an exponent not negative. nullopt if the result would have more than 32768 bits.
std::optional<Value> int_arithmetic(IntOp op, Value const& left, Value const& right, Arena& arena);

/// `digits` in `base` (2 to 16) without prefix or underscores, at least one; nullopt over 32768 bits.
std::optional<Value> parse_int(std::string_view digits, bool negative, int base, Arena& arena);

/// -1, 0 or 1, for integers of any size.
int compare_ints(Value const& left, Value const& right) noexcept;

/// Nearest double, or infinity.
double to_double(BigInt const& value) noexcept;

/// left / right for integers of any size, right not zero: the nearest double, or infinity.
double divide_ints(Value const& left, Value const& right);

/// The integer part of a finite number.
Value int_from_double(double number, Arena& arena);

/// Decimal digits with sign. Long ones (over max_int_digits) are the caller's to refuse.
std::string to_decimal(BigInt const& value);

/// Digits in base 2, 8 or 16 (lower case) with sign, no prefix.
std::string to_base(Value const& value, int base);

}  // namespace kvgate::jinja
