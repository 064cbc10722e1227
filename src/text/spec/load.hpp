// Reads tokenizer.json. What it does not know it refuses: a guess would be wrong ids.
#pragma once

#include <filesystem>
#include <string_view>

#include "kvgate/error.hpp"
#include "text/spec/spec.hpp"

namespace kvgate::text {

/// The text of a tokenizer.json. Errors (ErrorKind::bad_request) name the component and what is wrong with it. Hostile
/// input costs time and memory in proportion to its size, nothing else. Fields that the library ignores are ignored.
Result<TokenizerSpec> parse_tokenizer_spec(std::string_view json);

/// The same from a file, or from tokenizer.json in a folder; errors name the file too.
Result<TokenizerSpec> load_tokenizer_spec(std::filesystem::path const& path);

}  // namespace kvgate::text
