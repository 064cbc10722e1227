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
  /// What an engine said of itself counts as unknown when it is older than `stale`.
  Selector(fleet::Registry& registry, Plan const& plan, Clock::duration stale = std::chrono::seconds(15));

  /// `model` may be null for requests without one (then filters see every endpoint as serving). Endpoints in `tried` are
  /// left out.
  Selection select(RouteContext const& context, fleet::EndpointSet const& fleet, fleet::ModelEntry const* model,
                   std::span<fleet::Endpoint const* const> tried);

  /// What the filters dropped in the last select().
  std::span<Drop const> drops() const noexcept { return drops_; }

 private:
  void read_candidates(Clock::time_point now, fleet::EndpointSet const& fleet, fleet::ModelEntry const* model,
                       std::span<fleet::Endpoint const* const> tried);
  void read_reported(Candidate& candidate, Clock::time_point now, fleet::ModelEntry const* model) const;
  bool claim(Selection& selection, bool insist);

  fleet::Registry& registry_;
  Plan const& plan_;
  Clock::duration const stale_;
  Signals const needs_;
  std::vector<Candidate> candidates_;
  std::vector<Drop> drops_;
};

}  // namespace kvgate::routing
