// Why a template could not be compiled or rendered.
#pragma once

#include <boost/system/result.hpp>
#include <string>
#include <string_view>

namespace kvgate::jinja {

enum class Failure {
  syntax,         ///< compile: not a Jinja template
  unsupported,    ///< compile or render: something that this engine does not do; the message names it
  raised,         ///< render: the template called raise_exception; the message is what it said, for the client
  python_error,   ///< render: what Python's Jinja answers with an exception (undefined, wrong types, sandbox, ...)
  limit_reached,  ///< compile or render: too deep, too long, too many steps
};

/// snake_case name. Never empty.
std::string_view to_string(Failure failure) noexcept;

struct TemplateError {
  Failure failure = Failure::python_error;
  std::string type;     ///< Python's exception class: "UndefinedError", "TemplateError" for raise_exception, ...
  std::string message;  ///< as in Python where Python has one; no line number
  int line = 0;         ///< 1-based line of the template; 0 when unknown
};

template <class T>
using TemplateResult = boost::system::result<T, TemplateError>;

/// Called by value() on an error; callers ask first, so this is a defect and throws std::logic_error.
[[noreturn]] void throw_exception_from_error(TemplateError const& error, boost::source_location const& where);

}  // namespace kvgate::jinja
