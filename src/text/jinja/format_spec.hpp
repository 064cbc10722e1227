// Python's format specifications, as in "{:>8.2f}".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class Runtime;

/// [[fill]align][sign][z][#][0][width][grouping][.precision][type]
struct FormatSpec {
  std::string_view fill = " ";
  char align = '\0';  ///< one of <>=^, or none
  char sign = '-';
  bool alternate = false;
  std::int64_t width = 0;
  char grouping = '\0';
  std::int64_t precision = -1;
  char type = '\0';
};

/// format(value, spec). Throws Thrown (ValueError, TypeError, unsupported).
std::string format_value(Runtime& runtime, Value const& value, std::string_view spec);

/// Digits of a finite or infinite non-negative number for the types e E f F g G; no sign. Throws Thrown over the
/// runtime's limits.
std::string float_digits(Runtime& runtime, double magnitude, char type, std::int64_t precision, bool alternate);

/// `body` with `sign` before it (in front of zeros, behind other padding), filled up to the width.
std::string pad_number(Runtime& runtime, FormatSpec const& spec, std::string_view sign, std::string body);

}  // namespace kvgate::jinja
