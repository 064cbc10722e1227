// What is known of one engine, as metrics.
#pragma once

#include "fleet/endpoint_set.hpp"
#include "metrics/registry.hpp"

namespace kvgate::server {

/// What the engine said of itself is left out when it is older than `stale` at `now`. Any thread.
metrics::ControlFacts::Engine engine_facts(fleet::Member const& member, Clock::time_point now, Clock::duration stale);

}  // namespace kvgate::server
