// Which special names a body uses.
#pragma once

#include <string_view>

#include "text/jinja/ast.hpp"

namespace kvgate::jinja {

/// Whether `name` is read anywhere in `body` before something there is assigned or declared under that name. As Jinja
/// does, this looks into nested loops and macros too.
bool mentions(Block body, std::string_view name);

/// Throws Thrown (syntax) if something below a loop assigns to `loop`.
void refuse_assigned_loop(ForStmt& loop);

}  // namespace kvgate::jinja
