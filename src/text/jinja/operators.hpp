// Python's operators. All throw Thrown where Python raises.
#pragma once

#include <string_view>

#include "text/jinja/ast.hpp"
#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class Runtime;

bool truthy(Value const& value) noexcept;

Value add(Runtime& runtime, Value const& left, Value const& right);
/// `kind` is one of subtract, multiply, divide, floor_divide, modulo, power.
Value arithmetic(Runtime& runtime, ExprKind kind, Value const& left, Value const& right);
Value negate(Runtime& runtime, Value const& value);
Value plus(Value const& value);

/// == with the work that it takes on the runtime's account.
bool equals(Runtime& runtime, Value const& left, Value const& right);
/// `op` is one of less, less_equal, greater, greater_equal.
bool ordered(Runtime& runtime, CompareOp op, Value const& left, Value const& right);
/// `item in container`
bool contains(Runtime& runtime, Value const& container, Value const& item);

/// value[start:stop:step]; None for a bound that is left out.
Value slice(Runtime& runtime, Value const& value, Value const& start, Value const& stop, Value const& step);

/// "unsupported operand type(s) for ...", or what an undefined operand says.
[[noreturn]] void bad_operands(std::string_view op, Value const& left, Value const& right);

}  // namespace kvgate::jinja
