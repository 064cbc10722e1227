// The methods and other attributes that Python's types have.
#pragma once

#include <string_view>

#include "text/jinja/arguments.hpp"
#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class Runtime;
using MethodFunction = Value (*)(Runtime&, Value const& self, Arguments const&);

/// Types that attributes are looked up on, as bits.
enum MethodOwner : unsigned {
  on_text = 1,
  on_list = 2,
  on_tuple = 4,
  on_dict = 8,
  on_int = 16,
  on_float = 32,
  on_range = 64,
  on_view = 128,
  on_loop = 256,
  on_cycler = 512,
  on_everything = ~0u,  ///< what all objects have (__class__, __doc__, ...): the sandbox refuses those
};

/// One name that is an attribute of at least one type.
struct MethodName {
  std::string_view name;
  unsigned owners;                ///< types that have it
  unsigned unsafe;                ///< types on which the sandbox refuses it
  MethodFunction text = nullptr;  ///< null although the type has it: known, but not supported
  MethodFunction sequence = nullptr;
  MethodFunction dict = nullptr;
  MethodFunction number = nullptr;
};

/// Null if no type has an attribute of that name.
MethodName const* find_method(std::string_view name) noexcept;

/// The bit of the value's type, or 0.
unsigned owner_of(Value const& value) noexcept;

/// Calls the method on a value whose type has it. Throws Thrown.
Value call_method(Runtime& runtime, MethodName const& method, Value const& self, Arguments const& arguments);

}  // namespace kvgate::jinja
