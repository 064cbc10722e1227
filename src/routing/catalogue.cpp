#include "routing/catalogue.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "routing/filters/filters.hpp"
#include "routing/policies/policies.hpp"

namespace kvgate::routing {
namespace {

template <class T>
struct Row {
  std::string_view name;
  std::unique_ptr<T const> (*make)();
};

constexpr Row<RoutingPolicy> kPolicies[] = {
    {"round_robin", make_round_robin},
    {"least_loaded", make_least_loaded},
    {"random", make_random},
};

constexpr Row<EndpointFilter> kFilters[] = {
    {"model", make_model},
    {"healthy", make_healthy},
    {"capacity", make_capacity},
};

template <class Row, std::size_t N>
constexpr std::array<std::string_view, N> names_of(Row const (&rows)[N]) {
  std::array<std::string_view, N> names;
  for (std::size_t i = 0; i < N; ++i) names[i] = rows[i].name;
  return names;
}

constexpr auto kPolicyNames = names_of(kPolicies);
constexpr auto kFilterNames = names_of(kFilters);

template <class T, std::size_t N>
std::unique_ptr<T const> make(Row<T> const (&rows)[N], std::string const& name) {
  auto const row = std::ranges::find(rows, std::string_view(name), &Row<T>::name);
  if (row == std::end(rows)) throw std::invalid_argument("not in the catalogue: " + name);
  return row->make();
}

}  // namespace

std::span<std::string_view const> policy_names() noexcept { return kPolicyNames; }
std::span<std::string_view const> filter_names() noexcept { return kFilterNames; }

Signals needs_of(Plan const& plan) noexcept {
  Signals needs;
  for (auto const& filter : plan.filters) needs = needs | filter->needs();
  for (auto const& policy : plan.policies) needs = needs | policy->needs();
  return needs;
}

Plan make_plan(std::span<std::string const> policies, std::span<std::string const> filters) {
  Plan plan;
  for (auto const& name : filters) plan.filters.push_back(make(kFilters, name));
  for (auto const& name : policies) plan.policies.push_back(make(kPolicies, name));
  if (plan.policies.empty() || !plan.policies.back()->always_picks()) plan.policies.push_back(make_least_loaded());
  return plan;
}

}  // namespace kvgate::routing
