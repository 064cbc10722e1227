// How failures travel inside this module. Template::compile and Template::render catch them.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "text/jinja/template_error.hpp"

namespace kvgate::jinja {

struct Thrown {
  TemplateError error;
};

[[noreturn]] void fail(Failure failure, std::string_view type, std::string message, int line = 0);

/// Python's exception of that class.
[[noreturn]] inline void raise(std::string_view type, std::string message) {
  fail(Failure::python_error, type, std::move(message));
}
[[noreturn]] inline void type_error(std::string message) {
  raise("TypeError", std::move(message));
}
[[noreturn]] inline void value_error(std::string message) {
  raise("ValueError", std::move(message));
}
[[noreturn]] inline void over_limit(std::string message) {
  fail(Failure::limit_reached, "LimitError", std::move(message));
}
[[noreturn]] inline void unsupported(std::string message, int line = 0) {
  fail(Failure::unsupported, "UnsupportedError", std::move(message), line);
}
[[noreturn]] inline void syntax_error(std::string message, int line) {
  fail(Failure::syntax, "TemplateSyntaxError", std::move(message), line);
}

/// 'text' in single quotes, as in Python's messages.
std::string quoted(std::string_view text);

}  // namespace kvgate::jinja
