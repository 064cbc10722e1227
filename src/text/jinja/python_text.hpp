// str() and repr().
#pragma once

#include <string>
#include <string_view>

#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class Runtime;

/// str(value) appended to `out`. Throws Thrown: unsupported for objects whose text has an address in it, limit_reached
/// for too much text or too deep values.
void append_str(Runtime& runtime, std::string& out, Value const& value);
void append_repr(Runtime& runtime, std::string& out, Value const& value);

/// str(value): the text itself of a string or markup.
std::string_view str_of(Runtime& runtime, Value const& value);
std::string repr_of(Runtime& runtime, Value const& value);

/// repr() of a str.
void append_quoted(std::string& out, std::string_view text);

/// str() of an integer of any size. Throws Thrown (ValueError) over 4300 digits.
void append_int(std::string& out, Value const& value);

}  // namespace kvgate::jinja
