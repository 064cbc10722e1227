// Decoding JSON on the way to a sink.
#pragma once

#include <string_view>

#include "prefix/json_cursor.hpp"
#include "prefix/text_sink.hpp"

namespace kvgate::prefix {

/// Writes the decoded text of the string that starts at the cursor, which moves behind it. A broken escape ends the
/// cursor's text. A lone surrogate is encoded like any other code point, so that texts that differ in it differ.
void read_string(JsonCursor& cursor, TextSink& sink);

/// Writes any JSON without the blanks between its tokens and with its strings decoded. A quote inside a string becomes
/// a byte that no UTF-8 has, so that different values stay different. Depth costs nothing.
void write_canonical(std::string_view json, TextSink& sink);

}  // namespace kvgate::prefix
