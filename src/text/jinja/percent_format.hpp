// The % operator of strings.
#pragma once

#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class Runtime;

/// format % values: `values` is a tuple, a dict for "%(name)s", or one value. Markup escapes what it takes in. Throws
/// Thrown where Python raises.
Value percent_format(Runtime& runtime, Value const& format, Value const& values);

}  // namespace kvgate::jinja
