// priority: urgent requests go to the engine with the least work ahead of them, whatever it has cached. All others are
// left to the policies that follow.
#include <utility>

#include "routing/load.hpp"
#include "routing/policies/policies.hpp"
#include "routing/ties.hpp"

namespace kvgate::routing {
namespace {

/// Prefill is what a new request waits for; requests that only decode share the engine with it.
std::pair<double, double> work_ahead(Candidate const& c) {
  return {static_cast<double>(c.load.prefill_tokens) / c.endpoint->spec().weight, relative_load(c)};
}

class PriorityPolicy final : public RoutingPolicy {
 public:
  explicit PriorityPolicy(PriorityOptions const& options) : urgent_below_(options.urgent_below) {}

  std::string_view name() const noexcept override { return "priority"; }

  Choice pick(RouteContext const& context, std::span<Candidate const> candidates) const override {
    auto const priority = context.keys.priority;
    if (!priority) return Choice::abstain({"no_priority"});
    if (*priority >= urgent_below_) return Choice::abstain({"not_urgent", *priority, urgent_below_});
    return Choice::of(cheapest(candidates, work_ahead), {"urgent", *priority, urgent_below_});
  }

 private:
  std::int64_t urgent_below_;
};

}  // namespace

std::unique_ptr<RoutingPolicy const> make_priority(PriorityOptions const& options) {
  return std::make_unique<PriorityPolicy>(options);
}

}  // namespace kvgate::routing
