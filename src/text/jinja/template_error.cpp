#include "text/jinja/template_error.hpp"

#include <stdexcept>

#include "text/jinja/thrown.hpp"

namespace kvgate::jinja {

std::string_view to_string(Failure failure) noexcept {
  switch (failure) {
    case Failure::syntax:
      return "syntax";
    case Failure::unsupported:
      return "unsupported";
    case Failure::raised:
      return "raised";
    case Failure::python_error:
      return "python_error";
    case Failure::limit_reached:
      return "limit_reached";
  }
  return "unknown";
}

void throw_exception_from_error(TemplateError const& error, boost::source_location const&) {
  throw std::logic_error("unchecked template error: " + error.type + ": " + error.message);
}

void fail(Failure failure, std::string_view type, std::string message, int line) {
  throw Thrown{{failure, std::string(type), std::move(message), line}};
}

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

}  // namespace kvgate::jinja
