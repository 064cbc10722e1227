// Character classes and escapes of a regular expression, as sets of code points.
#pragma once

#include <optional>

#include "text/tokenizer/code_set.hpp"
#include "text/tokenizer/pattern_text.hpp"

namespace kvgate::text {

/// Behind `[`, up to and with its `]`. Throws PatternError.
CodeSet read_class(PatternText& in, PatternFlags flags);

/// Behind a backslash: s, S, w, W, d, D, h, H, p{...}, P{...}; nullopt, and nothing taken, if it is none of them.
std::optional<CodeSet> class_escape(PatternText& in, bool in_class);

/// Behind a backslash: the character that it stands for. Throws PatternError for what stands for something else.
char32_t character_escape(PatternText& in);

/// With the other case of its letters; throws PatternError beyond ASCII.
CodeSet folded(CodeSet const& set, PatternText const& in);

}  // namespace kvgate::text
