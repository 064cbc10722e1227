// Jinja's tests (`is ...`) by name.
#pragma once

#include <string_view>

#include "text/jinja/ast.hpp"

namespace kvgate::jinja {

/// Null for a name that Jinja does not know.
TestFunction find_test(std::string_view name) noexcept;

/// `is defined` and `is not defined` are so frequent that they need no call.
bool test_defined(Runtime&, Value const& subject, Arguments const&);

}  // namespace kvgate::jinja
