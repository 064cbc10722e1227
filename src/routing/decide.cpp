#include "routing/decide.hpp"

namespace kvgate::routing {
namespace {

Verdict refused(std::string_view by, std::size_t had) {
  return {nullptr, by, {"nobody_left", 0, static_cast<std::int64_t>(had)}};
}

}  // namespace

Verdict decide(Plan const& plan, RouteContext const& context, std::vector<Candidate>& candidates,
               std::vector<Drop>* drops) {
  if (candidates.empty()) return refused("fleet", 0);
  std::vector<Candidate> before;
  for (auto const& filter : plan.filters) {
    auto const had = candidates.size();
    if (filter->on_empty() == OnEmpty::ignore) before = candidates;
    Shortlist shortlist(candidates);
    filter->apply(context, shortlist);
    if (drops && candidates.size() < had) drops->push_back({filter->name(), had - candidates.size()});
    if (!candidates.empty()) continue;
    if (filter->on_empty() == OnEmpty::refuse) return refused(filter->name(), had);
    candidates.swap(before);
  }
  for (auto const& policy : plan.policies) {
    auto const choice = policy->pick(context, candidates);
    if (choice.index) return {&candidates[*choice.index], policy->name(), choice.why};
  }
  return refused("policies", candidates.size());
}

}  // namespace kvgate::routing
