// lora_capacity: drops engines that neither hold the request's LoRA adapter nor have a slot for it. Not known counts as
// room. Nobody left: as if absent, since the engine swaps adapters, only late.
#include "routing/filters/filters.hpp"

namespace kvgate::routing {
namespace {

class LoraCapacityFilter final : public EndpointFilter {
 public:
  std::string_view name() const noexcept override { return "lora_capacity"; }
  Signals needs() const noexcept override { return Signals{}.add(Signal::lora); }
  OnEmpty on_empty() const noexcept override { return OnEmpty::ignore; }

  void apply(RouteContext const&, Shortlist& shortlist) const override {
    shortlist.keep_if([](Candidate const& c) { return c.adapter != fleet::Adapter::full; });
  }
};

}  // namespace

std::unique_ptr<EndpointFilter const> make_lora_capacity() { return std::make_unique<LoraCapacityFilter>(); }

}  // namespace kvgate::routing
