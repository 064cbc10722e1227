// One factory per policy; each policy is one file of the same name in this folder.
#pragma once

#include <memory>

#include "kvgate/routing_policy.hpp"

namespace kvgate::routing {

std::unique_ptr<RoutingPolicy const> make_round_robin();
std::unique_ptr<RoutingPolicy const> make_least_loaded();
std::unique_ptr<RoutingPolicy const> make_random();

}  // namespace kvgate::routing
