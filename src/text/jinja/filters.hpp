// Jinja's filters by name.
#pragma once

#include <string_view>

#include "text/jinja/ast.hpp"

namespace kvgate::jinja {

/// Null for a name that Jinja does not know. Throws Thrown (unsupported, with the line) for one that it knows and this
/// engine does not: pprint, random, striptags, urlize, wordwrap.
FilterFunction find_filter(std::string_view name, int line);

/// Whether Jinja has a filter of that name.
bool is_filter(std::string_view name) noexcept;

/// |tojson writes its result straight to the output where it can.
Value filter_tojson(Runtime&, Value const& subject, Arguments const&);

}  // namespace kvgate::jinja
