// power_of_two: two engines drawn at random, the less loaded of them. Close to least_loaded, and gates that do not see
// each other's requests do not all run to the same engine.
#include <utility>

#include "routing/load.hpp"
#include "routing/policies/policies.hpp"

namespace kvgate::routing {
namespace {

/// Maps 32 random bits to [0, n).
std::size_t scaled(std::uint32_t bits, std::size_t n) { return (std::uint64_t{bits} * n) >> 32; }

class PowerOfTwo final : public RoutingPolicy {
 public:
  std::string_view name() const noexcept override { return "power_of_two"; }
  bool always_picks() const noexcept override { return true; }

  Choice pick(RouteContext const& context, std::span<Candidate const> candidates) const override {
    auto const n = candidates.size();
    if (n == 1) return Choice::of(0, {"only_one"});
    auto const first = scaled(static_cast<std::uint32_t>(context.entropy >> 32), n);
    auto second = scaled(static_cast<std::uint32_t>(context.entropy), n - 1);
    if (second >= first) ++second;   // one of the others
    auto const cost = [&](std::size_t i) { return std::pair(relative_load(candidates[i]), candidates[i].last_pick); };
    auto const best = cost(second) < cost(first) ? second : first;
    return Choice::of(best, {"less_loaded_of_two", candidates[best].load.in_flight});
  }
};

}  // namespace

std::unique_ptr<RoutingPolicy const> make_power_of_two() { return std::make_unique<PowerOfTwo>(); }

}  // namespace kvgate::routing
