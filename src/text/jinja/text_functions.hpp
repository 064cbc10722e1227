// Pieces of Python's str methods that filters use too.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/jinja/arguments.hpp"
#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class Runtime;

/// The text of a str argument. Throws Thrown (TypeError) naming `function` for anything else.
std::string_view text_argument(Value const& value, std::string_view function);
/// An integer argument that fits 64 bits (booleans too). Throws Thrown for anything else.
std::int64_t int_argument(Value const& value, std::string_view function);

/// Views into `text`; negative `most` is no limit.
std::vector<std::string_view> split_space(std::string_view text, std::int64_t most);
std::vector<std::string_view> split_at(std::string_view text, std::string_view separator, std::int64_t most);
std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends);

/// `text` itself if nothing is replaced.
std::string_view replace(Runtime& runtime, std::string_view text, std::string_view from, std::string_view to,
                         std::int64_t most);

/// str.center, as Python splits an odd number of fill characters.
Value centered(Runtime& runtime, Value const& text, std::int64_t width, std::string_view fill);

/// A list of texts of the kind of `like` (str or Markup).
Value list_of_texts(Runtime& runtime, Value const& like, std::vector<std::string_view> const& texts);

}  // namespace kvgate::jinja
