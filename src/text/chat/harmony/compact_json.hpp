// JSON without spaces, as Rust's serde_json writes it.
#pragma once

#include <string>

#include "text/chat/typed_dict.hpp"

namespace kvgate::text::harmony {

void append_compact_json(std::string& out, Value const& value);

}  // namespace kvgate::text::harmony
