// Python's == and <.
#pragma once

#include <cstdint>

#include "text/jinja/value.hpp"

namespace kvgate::jinja {

/// Counts in `work` what it looks at. Throws Thrown (RecursionError, limit_reached) for values that nest deeper than
/// 200 levels or take more than a million steps: what is built of the same lists again and again has no other bound.
bool equal(Value const& left, Value const& right, std::uint64_t& work);
inline bool equal(Value const& left, Value const& right) {
  std::uint64_t work = 0;
  return equal(left, right, work);
}

/// Both are numbers of any kind: -1, 0, 1, or 2 if one of them is NaN. Exact between integers and floats.
int compare_numbers(Value const& left, Value const& right) noexcept;

/// Whether it is the same object (Python's `is`).
bool same(Value const& left, Value const& right) noexcept;

}  // namespace kvgate::jinja
