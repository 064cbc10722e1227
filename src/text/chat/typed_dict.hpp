// Shapes of JSON objects, checked the way the engine's request models (pydantic, lax mode) check them. Where a model
// may have one of several shapes, the one with the most recognised fields wins, so a check counts them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "text/jinja/dict.hpp"
#include "text/jinja/value.hpp"

namespace kvgate::text {

using jinja::Value;

/// What a check answers: how many fields it recognised inside the value, or kInvalid.
inline constexpr int kInvalid = -1;

struct Field {
  std::string_view key;
  int (*check)(Value const& value);
  bool required = false;
};

/// Fields that are recognised in `value`, inner ones included; kInvalid if it is not a dict, lacks a required field or
/// has one of the wrong type. Unknown fields are allowed and count nothing.
int count_fields(std::span<Field const> shape, Value const& value);

// Checks for single fields.
int check_text(Value const& value);
int check_text_or_null(Value const& value);
int check_null(Value const& value);
int check_bool(Value const& value);
int check_dict(Value const& value);
int check_dict_or_null(Value const& value);

/// pydantic's bool: true, false, 0, 1 and the usual words.
std::optional<bool> lax_bool(Value const& value);

/// Python's bool(value).
bool truthy(Value const& value);

/// Undefined or None.
inline bool is_null(Value const& value) noexcept {
  return value.is_undefined() || value.is_none();
}

/// Whether `value` is exactly this text.
inline bool is_text(Value const& value, std::string_view text) noexcept {
  return value.is_string() && value.text() == text;
}

/// A copy of a dict with the fields of `order` first, as typed dicts come out of validation. `value` is a dict.
jinja::Dict* in_order(std::span<Field const> order, Value const& value, jinja::Arena& arena);

}  // namespace kvgate::text
