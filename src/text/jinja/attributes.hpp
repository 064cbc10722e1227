// a.b and a[b], as the sandbox allows them.
#pragma once

#include <string_view>

#include "text/jinja/ast.hpp"
#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class Runtime;

/// environment.getattr: an attribute of the Python object, else its item of that name, else undefined. Throws Thrown if
/// `object` is undefined.
Value get_attribute(Runtime& runtime, Value const& object, std::string_view name);
/// The same, with what the compiler knows of the name.
Value get_attribute(Runtime& runtime, Value const& object, AttributeExpr const& attribute);

/// environment.getitem: an item, else the attribute of that name, else undefined.
Value get_item(Runtime& runtime, Value const& object, Value const& key);

/// |attr(name): attributes only.
Value attribute_only(Runtime& runtime, Value const& object, std::string_view name);

}  // namespace kvgate::jinja
