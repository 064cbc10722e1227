// JSON as Python's json.dumps writes it.
#pragma once

#include <string>

#include "text/chat/stop.hpp"
#include "text/chat/typed_dict.hpp"

namespace kvgate::text {

/// With ", " and ": " between, everything outside ASCII escaped. Stops: size.
Outcome<std::string> python_json(Value const& value);

}  // namespace kvgate::text
