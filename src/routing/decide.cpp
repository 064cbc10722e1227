#include "routing/decide.hpp"

#include <algorithm>
#include <limits>

namespace kvgate::routing {
namespace {

Verdict refused(std::string_view by, std::size_t had) {
  return {nullptr, by, {"nobody_left", 0, static_cast<std::int64_t>(had)}};
}

std::vector<fleet::Endpoint const*> missing(std::vector<Candidate> const& before, std::vector<Candidate> const& after) {
  std::vector<fleet::Endpoint const*> gone;
  for (auto const& c : before)
    if (std::ranges::find(after, c.endpoint, &Candidate::endpoint) == after.end()) gone.push_back(c.endpoint);
  return gone;
}

void note(Trace& trace, RoutingPolicy const& policy, RouteContext const& context, std::span<Candidate const> candidates,
          Choice const& choice) {
  Opinion opinion{policy.name(), choice.why, !choice.index, {}};
  if (trace.detailed) {
    opinion.costs.assign(candidates.size(), std::numeric_limits<double>::quiet_NaN());
    policy.costs(context, candidates, opinion.costs);
  }
  trace.opinions.push_back(std::move(opinion));
}

/// False: nobody is left, and that matters.
bool apply(EndpointFilter const& filter, RouteContext const& context, std::vector<Candidate>& candidates, Trace* trace) {
  auto const had = candidates.size();
  bool const keep_copy = filter.on_empty() == OnEmpty::ignore || (trace && trace->detailed);
  std::vector<Candidate> before;
  if (keep_copy) before = candidates;
  Shortlist shortlist(candidates);
  filter.apply(context, shortlist);
  bool const ignored = candidates.empty() && filter.on_empty() == OnEmpty::ignore;
  if (trace && candidates.size() < had) {
    Drop drop{filter.name(), had - candidates.size(), ignored, {}};
    if (trace->detailed) drop.endpoints = missing(before, candidates);
    trace->drops.push_back(std::move(drop));
  }
  if (ignored) candidates.swap(before);
  return !candidates.empty();
}

}  // namespace

void Trace::clear() noexcept {
  drops.clear();
  opinions.clear();
}

Verdict decide(Plan const& plan, RouteContext const& context, std::vector<Candidate>& candidates, Trace* trace) {
  if (candidates.empty()) return refused("fleet", 0);
  for (auto const& filter : plan.filters) {
    auto const had = candidates.size();
    if (!apply(*filter, context, candidates, trace)) return refused(filter->name(), had);
  }
  for (auto const& policy : plan.policies) {
    auto const choice = policy->pick(context, candidates);
    if (trace) note(*trace, *policy, context, candidates, choice);
    if (choice.index) return {&candidates[*choice.index], policy->name(), choice.why};
  }
  return refused("policies", candidates.size());
}

}  // namespace kvgate::routing
