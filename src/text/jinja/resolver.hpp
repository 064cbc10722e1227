// Which variable a name means: Jinja's scoping rules, worked out at compile time.
#pragma once

#include "text/jinja/program.hpp"

namespace kvgate::jinja {

/// Gives every name in `program.body` its slot and fills scopes, functions, inits, inputs and undeclared. Throws Thrown
/// (syntax) for an unknown filter or test outside of conditions and for assignments to `loop`.
void resolve(Program& program);

}  // namespace kvgate::jinja
