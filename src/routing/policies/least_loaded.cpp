// least_loaded: the engine with the fewest requests in flight from this gate, for its weight; ties go to the one picked
// longest ago.
#include "routing/load.hpp"
#include "routing/policies/policies.hpp"
#include "routing/ties.hpp"

namespace kvgate::routing {
namespace {

class LeastLoaded final : public RoutingPolicy {
 public:
  std::string_view name() const noexcept override { return "least_loaded"; }
  bool always_picks() const noexcept override { return true; }

  Choice pick(RouteContext const&, std::span<Candidate const> candidates) const override {
    auto const best = cheapest(candidates, relative_load);
    return Choice::of(best, {"fewest_in_flight", candidates[best].load.in_flight});
  }
};

}  // namespace

std::unique_ptr<RoutingPolicy const> make_least_loaded() { return std::make_unique<LeastLoaded>(); }

}  // namespace kvgate::routing
