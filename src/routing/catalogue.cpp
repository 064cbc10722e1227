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
  std::unique_ptr<T const> (*make)(Options const&);
};

/// For those that nothing is configured of.
template <auto Make>
auto plain(Options const&) {
  return Make();
}

constexpr Row<RoutingPolicy> kPolicies[] = {
    {"round_robin", plain<make_round_robin>},
    {"least_loaded", plain<make_least_loaded>},
    {"power_of_two", plain<make_power_of_two>},
    {"random", plain<make_random>},
    {"session", [](Options const& o) { return make_session(o.session); }},
    {"prefix_affinity", [](Options const& o) { return make_prefix_affinity(o.prefix); }},
    {"simhash", [](Options const& o) { return make_simhash(o.simhash); }},
    {"priority", [](Options const& o) { return make_priority(o.priority); }},
    {"lora_affinity", plain<make_lora_affinity>},
};

constexpr Row<EndpointFilter> kFilters[] = {
    {"model", plain<make_model>},
    {"healthy", plain<make_healthy>},
    {"capacity", plain<make_capacity>},
    {"overload", [](Options const& o) { return make_overload(o.overload); }},
    {"num_queueing_requests", [](Options const& o) { return make_num_queueing_requests(o.queueing); }},
    {"max_model_len", plain<make_max_model_len>},
    {"label", [](Options const& o) { return make_label(o.label); }},
    {"lora_capacity", plain<make_lora_capacity>},
    {"not_sleeping", plain<make_not_sleeping>},
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
Row<T> const& row_of(Row<T> const (&rows)[N], std::string const& name) {
  auto const row = std::ranges::find(rows, std::string_view(name), &Row<T>::name);
  if (row == std::end(rows)) throw std::invalid_argument("not in the catalogue: " + name);
  return *row;
}

}  // namespace

std::span<std::string_view const> policy_names() noexcept { return kPolicyNames; }
std::span<std::string_view const> filter_names() noexcept { return kFilterNames; }

std::vector<std::string> completed(std::vector<std::string> policies) {
  auto const picks = [&](Row<RoutingPolicy> const& row) {
    return row.name == policies.back() && row.make(Options{})->always_picks();
  };
  if (policies.empty() || std::ranges::none_of(kPolicies, picks)) policies.push_back("least_loaded");
  return policies;
}

Plan make_plan(std::span<std::string const> policies, std::span<std::string const> filters, Options const& options) {
  Plan plan;
  if (options.pin_by_id) plan.filters.push_back(make_pinned());
  for (auto const& name : filters) plan.filters.push_back(row_of(kFilters, name).make(options));
  for (auto const& name : completed({policies.begin(), policies.end()}))
    plan.policies.push_back(row_of(kPolicies, name).make(options));
  for (auto const& filter : plan.filters) plan.needs = plan.needs | filter->needs();
  for (auto const& policy : plan.policies) plan.needs = plan.needs | policy->needs();
  return plan;
}

Plans::Plans(Options const& options)
    : common_(make_plan(options.policies, options.filters, options)) {
  for (auto const& [model, chain] : options.models)
    models_.emplace(model, make_plan(chain.policies.value_or(options.policies), chain.filters.value_or(options.filters),
                                     options));
}

Plans::Plans(Plan plan) : common_(std::move(plan)) {}

Plan const& Plans::of(std::string_view model) const {
  if (models_.empty()) return common_;
  auto const own = models_.find(model);
  return own == models_.end() ? common_ : own->second;
}

}  // namespace kvgate::routing
