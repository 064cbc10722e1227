#include "text/jinja/missing.hpp"

#include "text/jinja/thrown.hpp"

namespace kvgate::jinja {

Missing const kNotPassed{Missing::Why::hint, "the parameter was not passed", {}};

void raise_undefined(Missing const* missing) {
  if (!missing) raise("UndefinedError", "value is undefined");
  std::string const what(missing->what);
  switch (missing->why) {
    case Missing::Why::name:
      raise("UndefinedError", quoted(what) + " is undefined");
    case Missing::Why::attribute:
      raise("UndefinedError", quoted(missing->owner) + " has no attribute " + quoted(what));
    case Missing::Why::element:
      raise("UndefinedError", std::string(missing->owner) + " has no element " + what);
    case Missing::Why::unsafe:
      raise("SecurityError", what);
    case Missing::Why::hint:
      break;
  }
  raise("UndefinedError", what);
}

}  // namespace kvgate::jinja
