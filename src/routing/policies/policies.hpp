// One factory per policy; each policy is one file of the same name in this folder.
#pragma once

#include <memory>

#include "kvgate/routing_policy.hpp"
#include "routing/options.hpp"

namespace kvgate::routing {

std::unique_ptr<RoutingPolicy const> make_round_robin();
std::unique_ptr<RoutingPolicy const> make_least_loaded();
std::unique_ptr<RoutingPolicy const> make_power_of_two();
std::unique_ptr<RoutingPolicy const> make_random();
std::unique_ptr<RoutingPolicy const> make_session(SessionOptions const& options);
std::unique_ptr<RoutingPolicy const> make_prefix_affinity(PrefixOptions const& options);
std::unique_ptr<RoutingPolicy const> make_simhash(SimhashOptions const& options);
std::unique_ptr<RoutingPolicy const> make_priority(PriorityOptions const& options);
std::unique_ptr<RoutingPolicy const> make_lora_affinity();

}  // namespace kvgate::routing
