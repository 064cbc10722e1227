// JSON strings that the gate writes itself.
#pragma once

#include <string>
#include <string_view>

namespace kvgate::openai {

/// Appends `text` as a JSON string with its quotes. Always valid UTF-8: each byte that is not part of a well-formed
/// sequence becomes U+FFFD.
void append_json_string(std::string& out, std::string_view text);

/// As above, as a new string.
std::string json_string(std::string_view text);

}  // namespace kvgate::openai
