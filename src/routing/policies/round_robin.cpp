// round_robin: every engine in turn, per model. The turn is kept as "picked longest ago", so it stays exactly fair while
// engines come, go, or are filtered out for some requests.
#include "routing/policies/policies.hpp"
#include "routing/ties.hpp"

namespace kvgate::routing {
namespace {

class RoundRobin final : public RoutingPolicy {
 public:
  std::string_view name() const noexcept override { return "round_robin"; }
  bool always_picks() const noexcept override { return true; }

  Choice pick(RouteContext const&, std::span<Candidate const> candidates) const override {
    return Choice::of(cheapest(candidates, [](Candidate const&) { return 0; }), {"turn"});
  }
};

}  // namespace

std::unique_ptr<RoutingPolicy const> make_round_robin() { return std::make_unique<RoundRobin>(); }

}  // namespace kvgate::routing
