// str.format, as the sandbox does it.
#pragma once

#include "text/jinja/arguments.hpp"
#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class Runtime;

/// Attributes and items of fields follow the template's own rules. Markup escapes what it takes in. Throws Thrown.
Value brace_format(Runtime& runtime, Value const& format, Arguments const& arguments);

}  // namespace kvgate::jinja
