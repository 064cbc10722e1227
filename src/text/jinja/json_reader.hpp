// JSON as Python's json.loads reads it.
#pragma once

#include <string_view>

#include "kvgate/error.hpp"
#include "text/jinja/value.hpp"

namespace kvgate::jinja {

/// Keeps the order of keys; of a repeated key the last value wins, at the place of the first. Integers of any size are
/// exact, other numbers are doubles; NaN and Infinity are taken, as Python does. The value refers to `text` (strings
/// without escapes) and to `arena`, which must both outlive it. An error (bad_request) for what is not JSON, not UTF-8,
/// a lone surrogate, nested deeper than 200 levels or an integer of more than 4300 digits.
Result<Value> parse_json(std::string_view text, Arena& arena);

}  // namespace kvgate::jinja
