// The model of tokenizer.json: far the largest part, so its lists are read straight from the text.
#pragma once

#include <simdjson.h>

#include <map>
#include <string>
#include <string_view>

#include "text/spec/spec.hpp"

namespace kvgate::text::spec {

/// The members of a JSON object as slices of the text, each followed by readable bytes (simdjson's padding); of equal
/// names the last counts.
using Slices = std::map<std::string, std::string_view, std::less<>>;

/// What the slices are parsed with, one after the other.
struct ModelParser {
  simdjson::ondemand::parser parser;
  char const* end_of_buffer = nullptr;  ///< up to where bytes may be read
};

/// Throws SpecError or simdjson::simdjson_error.
ModelSpec read_model(Slices const& members, ModelParser& with);

}  // namespace kvgate::text::spec
