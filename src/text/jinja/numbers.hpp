// Arithmetic of Python's numbers.
#pragma once

#include "text/jinja/ast.hpp"
#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class Runtime;

/// Both are numbers; `kind` is add or one of the kinds of arithmetic(). Throws Thrown (ZeroDivisionError,
/// OverflowError; limit_reached for integers of more than 32768 bits).
Value number_arithmetic(Runtime& runtime, ExprKind kind, Value const& left, Value const& right);

/// A number as float; OverflowError for an integer that is too large.
double as_double(Value const& number);

/// round(number, digits) for floats: exact decimal rounding, half to even. Unsupported (Thrown) for negative digits.
double round_float(double number, int digits);

}  // namespace kvgate::jinja
