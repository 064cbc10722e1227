// What a call passes, and how a function takes it.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

#include "text/jinja/value.hpp"

namespace kvgate::jinja {

struct Keyword {
  std::string_view name;
  Value value;
};

struct Arguments {
  std::span<Value const> positional;
  std::span<Keyword const> keywords;

  bool empty() const noexcept { return positional.empty() && keywords.empty(); }
};

/// A function's parameters: the first `required` have no default, the first `positional_only` have no keyword.
struct Signature {
  std::string_view function;
  std::initializer_list<std::string_view> names;
  std::size_t required = 0;
  std::size_t positional_only = 0;
};

/// Arguments by parameter. Throws Thrown with TypeError where Python would.
class Bound {
 public:
  Bound(Arguments const& arguments, Signature const& signature);

  /// Null if the parameter was not passed.
  Value const* operator[](std::size_t parameter) const noexcept { return values_[parameter]; }
  /// The argument or what stands in for it.
  Value get(std::size_t parameter, Value fallback) const noexcept {
    return values_[parameter] ? *values_[parameter] : fallback;
  }

 private:
  static constexpr std::size_t kMost = 6;
  std::array<Value const*, kMost> values_{};
};

}  // namespace kvgate::jinja
