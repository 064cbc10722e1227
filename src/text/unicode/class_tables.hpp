// The data behind text/unicode/classes.hpp, as scripts/dump-unicode-classes.py writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "text/unicode/classes.hpp"

namespace kvgate::text::tables {

struct ScriptRow {
  std::string_view name;
  std::span<CodeRange const> ranges;
};

struct FoldRow {
  char32_t letter, other;
};

extern ScriptRow const kScripts[];
extern std::size_t const kScriptCount;
extern FoldRow const kFolds[];
extern std::size_t const kFoldCount;

}  // namespace kvgate::text::tables
