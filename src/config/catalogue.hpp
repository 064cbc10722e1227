// The names that the configuration may choose from, handed in by who knows the implementations.
#pragma once

#include <span>
#include <string_view>

namespace kvgate::config {

/// Views of static strings; outlives every call that it is passed to.
struct Catalogue {
  std::span<std::string_view const> policies;
  std::span<std::string_view const> filters;
};

}  // namespace kvgate::config
