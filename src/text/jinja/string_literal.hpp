// String literals of templates, decoded as Jinja does: Python's "unicode-escape".
#pragma once

#include <string_view>

#include "text/jinja/arena.hpp"

namespace kvgate::jinja {

/// `body` is what stands between the quotes; the result lives in `arena` or is `body` itself. Throws Thrown: syntax for
/// broken escapes, unsupported for \N{...} and for lone surrogates, which are no text.
std::string_view decode_string_literal(std::string_view body, int line, Arena& arena);

}  // namespace kvgate::jinja
