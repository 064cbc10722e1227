// lora_affinity: engines that hold the request's LoRA adapter first, then those with a free slot for it; the least
// loaded of them. Spares the loading of adapters, which stalls an engine.
#include <algorithm>
#include <utility>

#include "routing/load.hpp"
#include "routing/policies/policies.hpp"
#include "routing/ties.hpp"

namespace kvgate::routing {
namespace {

using fleet::Adapter;

/// What is neither comes last, and is not picked even so.
int rank(Adapter adapter) { return adapter == Adapter::loaded ? 0 : adapter == Adapter::room ? 1 : 2; }

class LoraAffinity final : public RoutingPolicy {
 public:
  std::string_view name() const noexcept override { return "lora_affinity"; }
  Signals needs() const noexcept override { return Signals{}.add(Signal::lora); }

  Choice pick(RouteContext const&, std::span<Candidate const> candidates) const override {
    auto const best = cheapest(candidates, [](Candidate const& c) {
      return std::pair(rank(c.adapter), relative_load(c));
    });
    switch (rank(candidates[best].adapter)) {
      case 0: return Choice::of(best, {"adapter_loaded"});
      case 1: return Choice::of(best, {"adapter_room"});
    }
    auto const unknown = std::ranges::all_of(candidates, [](auto const& c) { return c.adapter == Adapter::not_known; });
    return Choice::abstain({unknown ? "adapter_not_known" : "adapter_nowhere"});
  }
};

}  // namespace

std::unique_ptr<RoutingPolicy const> make_lora_affinity() { return std::make_unique<LoraAffinity>(); }

}  // namespace kvgate::routing
