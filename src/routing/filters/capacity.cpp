// capacity: engines below their max_concurrent. Nobody left: 503.
#include "fleet/endpoint.hpp"
#include "routing/filters/filters.hpp"

namespace kvgate::routing {
namespace {

class CapacityFilter final : public EndpointFilter {
 public:
  std::string_view name() const noexcept override { return "capacity"; }
  OnEmpty on_empty() const noexcept override { return OnEmpty::refuse; }

  void apply(RouteContext const&, Shortlist& shortlist) const override {
    shortlist.keep_if([](Candidate const& c) { 
      auto const limit = c.endpoint->spec().max_concurrent;
      return limit == 0 || c.load.in_flight < limit;
     });
  }
};

}  // namespace

std::unique_ptr<EndpointFilter const> make_capacity() { return std::make_unique<CapacityFilter>(); }

}  // namespace kvgate::routing
