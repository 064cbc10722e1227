// The paths that the gate knows without configuration.
#pragma once

#include <vector>

#include "openai/api.hpp"

namespace kvgate::openai {

/// In a fixed order, the ids not set. Rows of one path stand together, its GET row first.
std::vector<RouteRow> builtin_routes();

}  // namespace kvgate::openai
