// random: any engine, with a probability proportional to its weight.
#include <cmath>

#include "fleet/endpoint.hpp"
#include "routing/policies/policies.hpp"

namespace kvgate::routing {
namespace {

class RandomPolicy final : public RoutingPolicy {
 public:
  std::string_view name() const noexcept override { return "random"; }
  bool always_picks() const noexcept override { return true; }

  Choice pick(RouteContext const& context, std::span<Candidate const> candidates) const override {
    double total = 0;
    for (auto const& c : candidates) total += c.endpoint->spec().weight;
    double point = total * (static_cast<double>(context.entropy >> 11) * 0x1p-53);
    for (std::size_t i = 0; i + 1 < candidates.size(); ++i) {
      point -= candidates[i].endpoint->spec().weight;
      if (point < 0) return Choice::of(i, {"random"});
    }
    return Choice::of(candidates.size() - 1, {"random"});
  }
};

}  // namespace

std::unique_ptr<RoutingPolicy const> make_random() { return std::make_unique<RandomPolicy>(); }

}  // namespace kvgate::routing
