// model: engines that serve the request's model. Nobody left: 503, since the model is known.
#include "fleet/endpoint.hpp"
#include "routing/filters/filters.hpp"

namespace kvgate::routing {
namespace {

class ModelFilter final : public EndpointFilter {
 public:
  std::string_view name() const noexcept override { return "model"; }
  OnEmpty on_empty() const noexcept override { return OnEmpty::refuse; }

  void apply(RouteContext const&, Shortlist& shortlist) const override {
    shortlist.keep_if([](Candidate const& c) { return c.served != nullptr; });
  }
};

}  // namespace

std::unique_ptr<EndpointFilter const> make_model() { return std::make_unique<ModelFilter>(); }

}  // namespace kvgate::routing
