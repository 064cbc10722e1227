// The functions that every template can call: range, namespace, raise_exception, strftime_now, ...
#pragma once

#include <string>
#include <string_view>

#include "text/jinja/runtime.hpp"
#include "text/jinja/value.hpp"

namespace kvgate::jinja {

/// The global of that name, or an undefined value. A template's input comes before it.
Value find_global(std::string_view name) noexcept;

/// datetime.strftime of a naive time. Throws Thrown if the result is too long.
std::string strftime(LocalTime const& time, std::string_view format);

}  // namespace kvgate::jinja
