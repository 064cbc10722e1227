// From Oniguruma's regular expressions, which tokenizer.json is written in, to PCRE2's.
#pragma once

#include <string>
#include <string_view>

#include "kvgate/error.hpp"

namespace kvgate::text {

/// The same pattern for PCRE2 in UTF mode without Unicode properties: every class is spelled out as ranges of Unicode
/// 16, as Oniguruma has them. What might mean something else there is an error that names it: back references, calls,
/// POSIX classes, case-insensitive matching beyond ASCII, repeats of what may be empty, and more.
Result<std::string> to_pcre_pattern(std::string_view oniguruma);

}  // namespace kvgate::text
