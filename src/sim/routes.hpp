// The table of the engine's paths.
#pragma once

#include <string>
#include <string_view>

#include "sim/handlers.hpp"

namespace kvgate::sim {

struct Route {
  std::string_view method;
  std::string_view path;  ///< at most one `{}`, which stands for one segment
  Handler handler;
  bool inference = false;  ///< counted as a request, and what queued faults hit
  bool dev_mode = false;   ///< only there with SimOptions::dev_mode
};

struct RouteMatch {
  Route const* route = nullptr;
  std::string allow;    ///< when there is no route, but one with another method: that method
  std::string segment;  ///< what the `{}` matched
};

RouteMatch find_route(std::string_view method, std::string_view path, bool dev_mode);

}  // namespace kvgate::sim
