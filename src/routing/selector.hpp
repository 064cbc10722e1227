// Choose and reserve in one step, so that a burst does not pile up on what looked idle: read the candidates, decide,
// claim; later, learn from how it ended.
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

/// Who could take a request: the model's engines but those that were tried.
struct Field {
  fleet::EndpointSet const& fleet;
  fleet::ModelEntry const* model = nullptr;   ///< null for requests without one: every endpoint serves them
  std::span<fleet::Endpoint const* const> tried = {};
};

/// One per worker (keeps scratch); not thread-safe. The registry and the plans outlive it.
class Selector {
 public:
  /// What an engine said of itself counts as unknown when it is older than `stale`.
  Selector(fleet::Registry& registry, Plans const& plans, Clock::duration stale = std::chrono::seconds(15))
      : registry_(registry), plans_(plans), stale_(stale) {}

  /// The chosen engine is believed to have the prompt cached from now on; every policy of the plan has heard of it.
  /// `detailed`: trace() will be, for a record; that costs some allocations.
  Selection select(RouteContext const& context, Field const& field, bool detailed = false);

  /// The same decision with every detail, claiming and changing nothing.
  Verdict explain(RouteContext const& context, Field const& field, Trace& trace);

  /// Tells how a selected request ended, once. Thread-safe.
  static void finished(Decision const& decision, Outcome const& outcome);

  /// How the last select() came about.
  Trace const& trace() const noexcept { return trace_; }
  /// What its last decision was, whether or not the engine could be claimed. Valid until the next one.
  Verdict const& verdict() const noexcept { return verdict_; }
  /// The candidates as the last select() or explain() read them, before any filter.
  std::span<Candidate const> field() const noexcept { return field_; }

 private:
  void read_field(RouteContext const& context, Field const& field, Signals needs);
  void read_one(RouteContext const& context, fleet::Endpoint const& endpoint, Candidate& c) const;
  void read_text_prefixes(RouteContext const& context);
  bool claim(Selection& selection, RouteContext const& context, bool insist);

  fleet::Registry& registry_;
  Plans const& plans_;
  Clock::duration const stale_;
  std::vector<Candidate> field_, candidates_;
  std::vector<prefix::CachedBlocks const*> caches_;
  std::vector<std::uint32_t> known_blocks_;
  Trace trace_;
  Verdict verdict_;
};

}  // namespace kvgate::routing
