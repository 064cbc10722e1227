// The policies and filters that exist, by the names that configuration uses, and the plans made of them.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kvgate/endpoint_filter.hpp"
#include "kvgate/routing_policy.hpp"
#include "routing/options.hpp"

namespace kvgate::routing {

/// A chain of filters and a chain of policies. Immutable; one serves all workers.
struct Plan {
  std::vector<std::unique_ptr<EndpointFilter const>> filters;
  std::vector<std::unique_ptr<RoutingPolicy const>> policies;   ///< the last one always picks
  Signals needs;                                                ///< of all of them
};

std::span<std::string_view const> policy_names() noexcept;
std::span<std::string_view const> filter_names() noexcept;

/// The chain as it runs: with `least_loaded` appended when its last policy can abstain.
std::vector<std::string> completed(std::vector<std::string> policies);

/// Names must be in the catalogue: else std::invalid_argument. The policies are completed().
Plan make_plan(std::span<std::string const> policies, std::span<std::string const> filters, Options const& options = {});

/// The plan of every model. Immutable; one serves all workers.
class Plans {
 public:
  explicit Plans(Options const& options);
  /// One for all.
  explicit Plans(Plan plan);

  Plan const& of(std::string_view model) const;

 private:
  Plan common_;
  std::map<std::string, Plan, std::less<>> models_;
};

}  // namespace kvgate::routing
