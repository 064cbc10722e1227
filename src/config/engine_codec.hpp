// The options that are lists or maps of records: `engines` and `proxy.routes`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/codec.hpp"
#include "config/config.hpp"

namespace kvgate::config {

/// An entry is a map as engine_table() declares it, or its URL alone. No URL twice.
Codec<std::vector<EngineSpec>> engine_list();

/// Path to a map as route_table() declares it.
Codec<std::map<std::string, RouteTimeouts>> route_map();

}  // namespace kvgate::config
