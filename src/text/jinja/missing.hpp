// Why a value is undefined: what Jinja says when something is done with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/jinja/value.hpp"

namespace kvgate::jinja {

/// Lives in an arena. A null pointer in a value stands for an undefined value that nothing is known about.
struct Missing {
  enum class Why : std::uint8_t {
    name,       ///< a variable `what`
    attribute,  ///< `what` of an object of type `owner`
    element,    ///< `what` (repr of a key that is no string) of an object of type `owner`
    hint,       ///< `what` is the message
    unsafe,     ///< as hint, but the sandbox's SecurityError
  };
  Why why;
  std::string_view what;
  std::string_view owner;
};

/// Marks a parameter that a call has not passed.
extern Missing const kNotPassed;

/// Throws UndefinedError (or SecurityError) with Jinja's message. `missing` may be null.
[[noreturn]] void raise_undefined(Missing const* missing);

}  // namespace kvgate::jinja
