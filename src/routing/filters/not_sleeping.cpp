// not_sleeping: drops engines that say that they sleep. Nobody left: 503, since a sleeping engine answers nothing.
#include "routing/filters/filters.hpp"

namespace kvgate::routing {
namespace {

class NotSleepingFilter final : public EndpointFilter {
 public:
  std::string_view name() const noexcept override { return "not_sleeping"; }
  OnEmpty on_empty() const noexcept override { return OnEmpty::refuse; }

  void apply(RouteContext const&, Shortlist& shortlist) const override {
    shortlist.keep_if([](Candidate const& c) { return !c.reported || !c.reported->sleeping; });
  }
};

}  // namespace

std::unique_ptr<EndpointFilter const> make_not_sleeping() { return std::make_unique<NotSleepingFilter>(); }

}  // namespace kvgate::routing
