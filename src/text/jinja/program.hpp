// A compiled template.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/arena.hpp"
#include "text/jinja/ast.hpp"
#include "text/jinja/template.hpp"

namespace kvgate::jinja {

/// A slot of the outermost function that gets its value from the input, or else is the builtin function of that name.
struct InputVariable {
  std::uint32_t slot;
  std::string_view name;
};

/// Immutable once compiled.
struct Program {
  Arena arena;
  Block body;
  Function function;
  std::vector<SlotInit> inits;
  std::vector<InputVariable> inputs;
  std::vector<std::string> undeclared;
  ContentFormat content_format = ContentFormat::string;
};

}  // namespace kvgate::jinja
