// Methods of list, tuple, dict, numbers and Jinja's helpers. All throw Thrown where Python raises.
#pragma once

#include <string_view>

#include "text/jinja/arguments.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class Runtime;

Value sequence_copy(Runtime&, Value const& self, Arguments const&);
Value sequence_count(Runtime&, Value const& self, Arguments const&);
Value sequence_index(Runtime&, Value const& self, Arguments const&);
Value dict_copy(Runtime&, Value const& self, Arguments const&);
Value dict_get(Runtime&, Value const& self, Arguments const&);
Value dict_items(Runtime&, Value const& self, Arguments const&);
Value dict_keys(Runtime&, Value const& self, Arguments const&);
Value dict_values(Runtime&, Value const& self, Arguments const&);
Value float_is_integer(Runtime&, Value const& self, Arguments const&);

/// loop.cycle and loop.changed
Value call_loop_method(Runtime&, std::string_view name, LoopObject& loop, Arguments const&);
/// cycler.next and cycler.reset
Value call_cycler_method(std::string_view name, CyclerObject& cycler);

/// Attributes of numbers and ranges that are values: real, imag, numerator, denominator, start, stop, step. Undefined
/// for any other.
Value value_attribute(Value const& self, std::string_view name) noexcept;

}  // namespace kvgate::jinja
