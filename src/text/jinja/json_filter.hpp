// transformers' tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False).
#pragma once

#include "text/jinja/arguments.hpp"
#include "text/jinja/json_writer.hpp"

namespace kvgate::jinja {

/// The style that the arguments ask for. Throws Thrown.
JsonStyle json_style(Runtime& runtime, Arguments const& arguments);

}  // namespace kvgate::jinja
