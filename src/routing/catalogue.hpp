// The policies and filters that exist, by the names that configuration uses, and the plan made of them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kvgate/endpoint_filter.hpp"
#include "kvgate/routing_policy.hpp"

namespace kvgate::routing {

/// A chain of filters and a chain of policies. Immutable; one serves all workers.
struct Plan {
  std::vector<std::unique_ptr<EndpointFilter const>> filters;
  std::vector<std::unique_ptr<RoutingPolicy const>> policies;   ///< the last one always picks
};

std::span<std::string_view const> policy_names() noexcept;
std::span<std::string_view const> filter_names() noexcept;

/// What the plan's filters and policies need together.
Signals needs_of(Plan const& plan) noexcept;

/// Appends `least_loaded` when the last policy can abstain. Names must be in the catalogue: else std::invalid_argument.
Plan make_plan(std::span<std::string const> policies, std::span<std::string const> filters);

}  // namespace kvgate::routing
