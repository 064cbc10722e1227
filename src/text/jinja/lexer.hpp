// Template source to tokens, with Jinja's white space rules (trim_blocks and lstrip_blocks are on).
#pragma once

#include <string_view>
#include <vector>

#include "text/jinja/arena.hpp"
#include "text/jinja/token.hpp"

namespace kvgate::jinja {

/// The tokens, the last of type `end`. Texts live in `arena`. Throws Thrown.
std::vector<Token> tokenize(std::string_view source, Arena& arena);

}  // namespace kvgate::jinja
