#include "routing/selector.hpp"

#include <algorithm>

#include "openai/request_view.hpp"
#include "prefix/prompt_text.hpp"
#include "routing/learning.hpp"

namespace kvgate::routing {
namespace {

constexpr int kTries = 8;   // more than two workers hardly ever take the same engine so often in a row

std::size_t member_of(fleet::Endpoint const* endpoint, fleet::EndpointSet const& fleet) {
  auto const is_it = [&](fleet::Member const& m) { return m.endpoint.get() == endpoint; };
  return static_cast<std::size_t>(std::ranges::find_if(fleet.members, is_it) - fleet.members.begin());
}

/// Left out where the size of the cache is not known.
void read_room(prefix::CachedBlocks const& cache, Candidate& c) {
  auto const stats = cache.stats();
  if (stats.capacity == 0) return;
  auto const live = std::min(stats.capacity, stats.live_blocks);
  c.cache_room = (stats.capacity - live) * prefix::kBlockTokens;
  c.cache_fill = static_cast<double>(live) / static_cast<double>(stats.capacity);
}

/// Of what was routed and has not answered, the part that is not computed yet, by the engine's known speed: answers that
/// come in one piece say nothing until they are complete. Never less than what is seen to wait.
double prefill_left(Candidate const& c, Clock::time_point now) {
  double const all = static_cast<double>(c.load.prefill_tokens);
  if (c.prefill_speed == 0) return all;
  double const seconds = std::chrono::duration<double>(c.load.prefill_until - now).count();
  auto const least = std::min(all, static_cast<double>(c.load.prefill_queued));
  return std::clamp(seconds * c.prefill_speed, least, all);
}

}  // namespace

void Selector::read_one(RouteContext const& context, fleet::Endpoint const& endpoint, Candidate& c) const {
  c.endpoint = &endpoint;
  c.health = endpoint.health();
  c.load = endpoint.load();
  c.reported = endpoint.stats().reported(context.now, stale_);
  c.prefill_speed = endpoint.prefill_rate().tokens_per_second().value_or(0);
  c.prefill_left = prefill_left(c, context.now);
}

void Selector::read_field(RouteContext const& context, Field const& field, Signals needs) {
  bool const wants_adapter = needs.has(Signal::lora) && field.model && !field.model->base;
  field_.clear();
  for (std::size_t i = 0; i < field.fleet.members.size(); ++i) {
    auto const& endpoint = *field.fleet.members[i].endpoint;
    if (std::ranges::find(field.tried, &endpoint) != field.tried.end()) continue;
    auto& c = field_.emplace_back();
    read_one(context, endpoint, c);
    c.served = field.model ? field.model->by_member[i].get() : field.fleet.members[i].any.get();
    if (c.served && c.served->last_pick) c.last_pick = c.served->last_pick->load(std::memory_order_relaxed);
    if (wants_adapter && c.reported) c.adapter = endpoint.stats().adapters()->state_of(field.model->id);
  }
  if (needs.has(Signal::text_prefix)) read_text_prefixes(context);
}

void Selector::read_text_prefixes(RouteContext const& context) {
  auto const blocks = context.prompt.blocks();
  if (blocks.empty()) return;
  caches_.clear();
  for (auto const& c : field_)
    if (c.served) caches_.push_back(&c.endpoint->cached_blocks());
  known_blocks_.resize(caches_.size());
  prefix::CachedBlocks::longest_prefixes(caches_, blocks, known_blocks_);
  std::size_t at = 0;
  for (auto& c : field_) {
    if (!c.served) continue;
    c.facts[static_cast<std::size_t>(Signal::text_prefix)] = Fact{known_blocks_[at++] * prefix::kBlockTokens};
    read_room(c.endpoint->cached_blocks(), c);
  }
}

bool Selector::claim(Selection& selection, RouteContext const& context, bool insist) {
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
  auto const& request = context.request;
  fleet::Lease::Prefill const prefill{decision.tokens_to_compute(),
                                      request.stream || !openai::generates(request.api)};
  auto lease = fleet::Lease::take(decision.endpoint, prefill, context.now);
  if (!lease) return false;
  selection.lease = std::move(*lease);
  return true;
}

Selection Selector::select(RouteContext const& context, Field const& field, bool detailed) {
  auto const& plan = plans_.of(context.model);
  trace_.detailed = detailed;
  Selection selection;
  auto& decision = selection.decision;
  for (int i = 1; i <= kTries; ++i) {
    read_field(context, field, plan.needs);
    trace_.clear();
    candidates_ = field_;
    auto const& verdict = verdict_ = decide(plan, context, candidates_, &trace_);
    decision = {};
    decision.plan = &plan;
    decision.policy = verdict.decider;
    decision.why = verdict.why;
    decision.prompt_tokens = context.prompt.tokens();
    if (!verdict.chosen) return selection;
    auto const at = member_of(verdict.chosen->endpoint, field.fleet);
    decision.endpoint = field.fleet.members[at].endpoint;
    decision.served = field.model ? field.model->by_member[at] : field.fleet.members[at].any;
    decision.last_pick = verdict.chosen->last_pick;
    decision.cached_tokens = std::min<std::uint64_t>(verdict.chosen->cached_tokens(), decision.prompt_tokens - 1);
    if (!claim(selection, context, i == kTries)) continue;
    if (plan.needs.has(Signal::text_prefix)) believe(decision, context.prompt);
    for (auto const& policy : plan.policies) policy->routed(decision);
    return selection;
  }
  decision.endpoint = nullptr;
  decision.policy = "capacity";
  decision.why = {"taken_meanwhile"};
  return selection;
}

Verdict Selector::explain(RouteContext const& context, Field const& field, Trace& trace) {
  auto const& plan = plans_.of(context.model);
  read_field(context, field, plan.needs);
  candidates_ = field_;
  return decide(plan, context, candidates_, &trace);
}

void Selector::finished(Decision const& decision, Outcome const& outcome) {
  learn(decision, outcome);
  for (auto const& policy : decision.plan->policies) policy->finished(decision, outcome);
}

}  // namespace kvgate::routing
