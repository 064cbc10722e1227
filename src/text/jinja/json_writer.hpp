// Python's json.dumps, as transformers' tojson filter calls it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class Runtime;

struct JsonStyle {
  bool ensure_ascii = false;
  std::optional<std::string_view> indent;  ///< text of one level; absent: all on one line
  std::string_view item_separator = ", ";
  std::string_view key_separator = ": ";
  bool sort_keys = false;
};

/// Appends to `out`, up to `most` bytes in all. Throws Thrown: TypeError for what JSON cannot say, limit_reached.
void append_json(Runtime& runtime, std::string& out, Value const& value, JsonStyle const& style, std::size_t most);

}  // namespace kvgate::jinja
