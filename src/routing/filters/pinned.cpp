// pinned: keeps the engine that the request names, by URL, by host:port or by its label `id`. Nobody left: 503, since
// who names an engine wants no other. Requests that name none are left alone.
#include "fleet/endpoint.hpp"
#include "routing/filters/filters.hpp"

namespace kvgate::routing {
namespace {

/// Always with its port, which the Host header leaves out where the scheme implies it.
std::string_view host_and_port(EngineUrl const& url) {
  std::string_view text = url.text;
  text.remove_prefix(text.find("://") + 3);
  return text.substr(0, text.size() - url.base.size());
}

bool is_named(EngineSpec const& spec, std::string_view name) {
  if (name == spec.url.text || name == spec.url.authority || name == host_and_port(spec.url)) return true;
  auto const id = spec.labels.find("id");
  return id != spec.labels.end() && id->second == name;
}

class PinnedFilter final : public EndpointFilter {
 public:
  std::string_view name() const noexcept override { return "pinned"; }
  OnEmpty on_empty() const noexcept override { return OnEmpty::refuse; }

  void apply(RouteContext const& context, Shortlist& shortlist) const override {
    auto const name = context.keys.pin;
    if (name.empty()) return;
    shortlist.keep_if([&](Candidate const& c) { return is_named(c.endpoint->spec(), name); });
  }
};

}  // namespace

std::unique_ptr<EndpointFilter const> make_pinned() { return std::make_unique<PinnedFilter>(); }

}  // namespace kvgate::routing
