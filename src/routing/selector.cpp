#include "routing/selector.hpp"

#include <algorithm>

namespace kvgate::routing {
namespace {

constexpr int kTries = 8;   // more than two workers hardly ever take the same engine so often in a row

std::size_t member_of(fleet::Endpoint const* endpoint, fleet::EndpointSet const& fleet) {
  auto const is_it = [&](fleet::Member const& m) { return m.endpoint.get() == endpoint; };
  return static_cast<std::size_t>(std::ranges::find_if(fleet.members, is_it) - fleet.members.begin());
}

}  // namespace

Selector::Selector(fleet::Registry& registry, Plan const& plan, Clock::duration stale)
    : registry_(registry), plan_(plan), stale_(stale), needs_(needs_of(plan)) {}

void Selector::read_reported(Candidate& candidate, Clock::time_point now, fleet::ModelEntry const* model) const {
  auto const& stats = candidate.endpoint->stats();
  candidate.reported = stats.reported(now, stale_);
  bool const adapter = needs_.has(Signal::lora) && model && !model->base;
  if (adapter && candidate.reported) candidate.adapter = stats.adapters()->state_of(model->id);
}

void Selector::read_candidates(Clock::time_point now, fleet::EndpointSet const& fleet, fleet::ModelEntry const* model,
                               std::span<fleet::Endpoint const* const> tried) {
  candidates_.clear();
  for (std::size_t i = 0; i < fleet.members.size(); ++i) {
    auto const* endpoint = fleet.members[i].endpoint.get();
    if (std::ranges::find(tried, endpoint) != tried.end()) continue;
    Candidate c;
    c.endpoint = endpoint;
    c.served = model ? model->by_member[i].get() : fleet.members[i].any.get();
    c.health = endpoint->health();
    c.load = endpoint->load();
    read_reported(c, now, model);
    if (c.served && c.served->last_pick) c.last_pick = c.served->last_pick->load(std::memory_order_relaxed);
    candidates_.push_back(c);
  }
}

bool Selector::claim(Selection& selection, bool insist) {
  auto& decision = selection.decision;
  if (decision.served && decision.served->last_pick) {
    auto expected = decision.last_pick;
    auto const turn = registry_.next_pick();
    // Another worker picked it since we looked: look again, unless that has happened too often.
    if (!decision.served->last_pick->compare_exchange_strong(expected, turn, std::memory_order_relaxed)) {
      if (!insist) return false;
      decision.served->last_pick->store(turn, std::memory_order_relaxed);
    }
  }
  auto lease = fleet::Lease::take(decision.endpoint, decision.prompt_tokens);
  if (!lease) return false;
  selection.lease = std::move(*lease);
  return true;
}

Selection Selector::select(RouteContext const& context, fleet::EndpointSet const& fleet, fleet::ModelEntry const* model,
                           std::span<fleet::Endpoint const* const> tried) {
  Selection selection;
  for (int i = 1; i <= kTries; ++i) {
    read_candidates(context.now, fleet, model, tried);
    drops_.clear();
    auto const verdict = decide(plan_, context, candidates_, &drops_);
    selection.decision = {};
    selection.decision.policy = verdict.decider;
    selection.decision.why = verdict.why;
    selection.decision.prompt_tokens = context.prompt.estimated_tokens();
    if (!verdict.chosen) return selection;
    auto const at = member_of(verdict.chosen->endpoint, fleet);
    selection.decision.endpoint = fleet.members[at].endpoint;
    selection.decision.served = model ? model->by_member[at] : fleet.members[at].any;
    selection.decision.last_pick = verdict.chosen->last_pick;
    if (claim(selection, i == kTries)) return selection;
  }
  selection.decision.endpoint = nullptr;
  selection.decision.policy = "capacity";
  selection.decision.why = {"taken_meanwhile"};
  return selection;
}

}  // namespace kvgate::routing
