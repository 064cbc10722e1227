// The seam of routing policies: which of the candidates that the filters left should take a request.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "kvgate/candidate.hpp"
#include "kvgate/reason.hpp"
#include "kvgate/route_context.hpp"
#include "kvgate/signals.hpp"

namespace kvgate {

struct Decision;
struct Outcome;

/// What a policy says: a candidate (an index into the span it was given), or nothing, and why.
struct Choice {
  std::optional<std::size_t> index;
  Reason why;

  static Choice of(std::size_t i, Reason why) { return {i, why}; }
  static Choice abstain(Reason why) { return {std::nullopt, why}; }
};

/// One instance serves all workers: pick() is const, does no I/O and holds no lock across calls.
class RoutingPolicy {
 public:
  virtual ~RoutingPolicy() = default;
  virtual std::string_view name() const noexcept = 0;
  virtual Signals needs() const noexcept { return {}; }
  /// True when pick() always chooses; a chain whose last policy can abstain gets `least_loaded` appended.
  virtual bool always_picks() const noexcept { return false; }
  /// `candidates` is never empty.
  virtual Choice pick(RouteContext const& context, std::span<Candidate const> candidates) const = 0;
  /// What pick() compared, for explanations: one number for each candidate, lower is better. Left as they are (NaN) by
  /// policies that compare nothing.
  virtual void costs(RouteContext const&, std::span<Candidate const>, std::span<double>) const {}
  /// Told of every decision, whoever made it: a belief.
  virtual void routed(Decision const&) const {}
  /// Told how it ended: the truth. A lost engine retracts the belief.
  virtual void finished(Decision const&, Outcome const&) const {}
};

}  // namespace kvgate
