// How loaded a candidate is, as policies and filters compare it.
#pragma once

#include "fleet/endpoint.hpp"
#include "kvgate/candidate.hpp"

namespace kvgate::routing {

/// Requests in flight with the one to come, for the engine's weight.
inline double relative_load(Candidate const& c) { return (c.load.in_flight + 1.0) / c.endpoint->spec().weight; }

}  // namespace kvgate::routing
