// healthy: engines that are neither suspect nor down. Nobody left: 503.
#include "fleet/endpoint.hpp"
#include "routing/filters/filters.hpp"

namespace kvgate::routing {
namespace {

class HealthyFilter final : public EndpointFilter {
 public:
  std::string_view name() const noexcept override { return "healthy"; }
  OnEmpty on_empty() const noexcept override { return OnEmpty::refuse; }

  void apply(RouteContext const&, Shortlist& shortlist) const override {
    shortlist.keep_if([](Candidate const& c) { return c.health == fleet::Health::up || c.health == fleet::Health::unknown; });
  }
};

}  // namespace

std::unique_ptr<EndpointFilter const> make_healthy() { return std::make_unique<HealthyFilter>(); }

}  // namespace kvgate::routing
