// "a.b.0" as filters take it, and what they do with what they find there.
#pragma once

#include <span>
#include <string_view>

#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class Runtime;

/// Trivially copyable; lives in the arena.
struct AttributePath {
  std::span<Value const> parts;
  Value fallback = Value::none();  ///< replaces undefined values on the way, if it is not None
  bool fold_case = false;          ///< texts in lower case, so that they compare without regard to case

  Value of(Runtime& runtime, Value item) const;
};

/// `attribute` is None (the item itself), a text or a number.
AttributePath attribute_path(Runtime& runtime, Value const& attribute);

/// The lower case of a text; anything else as it is.
Value fold_case(Runtime& runtime, Value const& value);

}  // namespace kvgate::jinja
