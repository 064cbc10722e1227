// Constant expressions are worked out once, when the template is compiled.
#pragma once

#include "text/jinja/program.hpp"

namespace kvgate::jinja {

/// Replaces operators and literals over constants by their values, in the program's arena. What raises stays as it is,
/// to raise when it is reached.
void fold_constants(Program& program);

}  // namespace kvgate::jinja
