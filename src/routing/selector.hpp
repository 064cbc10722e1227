// Choose and reserve in one step, so that a burst does not pile up on what looked idle: read the candidates, decide, claim.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fleet/endpoint_set.hpp"
#include "fleet/lease.hpp"
#include "fleet/registry.hpp"
#include "kvgate/decision.hpp"
#include "routing/decide.hpp"

namespace kvgate::routing {

/// A decision with its claim. When nobody can take the request, decision.endpoint is null and there is no lease.
struct Selection {
  Decision decision;
  fleet::Lease lease;
};

/// One per worker (keeps scratch); not thread-safe. The registry and the plan outlive it.
class Selector {
 public:
  Selector(fleet::Registry& registry, Plan const& plan) : registry_(registry), plan_(plan) {}

  /// `model` may be null for requests without one (then filters see every endpoint as serving). Endpoints in `tried` are
  /// left out.
  Selection select(RouteContext const& context, fleet::EndpointSet const& fleet, fleet::ModelEntry const* model,
                   std::span<fleet::Endpoint const* const> tried);


  /// What the filters dropped in the last select().
  std::span<Drop const> drops() const noexcept { return drops_; }

 private:
  void read_candidates(fleet::EndpointSet const& fleet, fleet::ModelEntry const* model,
                       std::span<fleet::Endpoint const* const> tried);
  bool claim(Selection& selection, bool insist);

  fleet::Registry& registry_;
  Plan const& plan_;
  std::vector<Candidate> candidates_;
  std::vector<Drop> drops_;
};

}  // namespace kvgate::routing
