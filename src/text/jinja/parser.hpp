// Jinja's grammar.
#pragma once

#include <string_view>

#include "text/jinja/arena.hpp"
#include "text/jinja/ast.hpp"

namespace kvgate::jinja {

struct ParsedTemplate {
  Block body;
  std::uint16_t depth;  ///< of the outermost function
};

/// The tree, with names still unresolved, in `arena`. Throws Thrown (syntax, unsupported, limit_reached), with the
/// line.
ParsedTemplate parse_template(std::string_view source, Arena& arena);

/// Text of ast.hpp's nodes nests at most this deep, and so does what one function nests.
constexpr int max_nesting = 200;

}  // namespace kvgate::jinja
