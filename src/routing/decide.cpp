#include "routing/decide.hpp"

#include <algorithm>
#include <limits>

namespace kvgate::routing {
namespace {

Verdict refused(std::string_view by, std::size_t had) {
  return {nullptr, by, {"nobody_left", 0, static_cast<std::int64_t>(had)}};
}

std::vector<fleet::Endpoint const*> missing(std::span<Candidate const> before, std::span<Candidate const> after) {
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
  std::vector<Candidate> before;
  if (trace && trace->detailed) before = candidates;
  auto const had = candidates.size();
  Shortlist shortlist(candidates, filter.on_empty());
  filter.apply(context, shortlist);
  auto const kept = shortlist.ignored() ? std::span<Candidate const>() : shortlist.candidates();
  if (trace && kept.size() < had) {
    Drop drop{filter.name(), had - kept.size(), shortlist.ignored(), {}};
    if (trace->detailed) drop.endpoints = missing(before, kept);
    trace->drops.push_back(std::move(drop));
  }
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
