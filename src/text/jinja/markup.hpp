// markupsafe: text that is escaped for HTML.
#pragma once

#include <string>
#include <string_view>

#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class Runtime;

/// & < > " ' as entities.
void append_escaped(std::string& out, std::string_view text);

/// Markup as it is; of anything else the escaped str().
Value escape(Runtime& runtime, Value const& value);

}  // namespace kvgate::jinja
