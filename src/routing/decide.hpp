// One routing decision: filters in order, then the first policy with an opinion. Pure: no clock, no I/O, no randomness
// but the context's.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "kvgate/candidate.hpp"
#include "kvgate/reason.hpp"
#include "kvgate/route_context.hpp"
#include "routing/catalogue.hpp"

namespace kvgate::routing {

struct Verdict {
  Candidate const* chosen = nullptr;   ///< points into `candidates`; null: a filter left nobody
  std::string_view decider;            ///< the policy that chose, or the filter that refused
  Reason why;
};

/// `candidates` is pruned in place. An empty list is refused by the name of the first filter (or "fleet").
Verdict decide(Plan const& plan, RouteContext const& context, std::vector<Candidate>& candidates);

}  // namespace kvgate::routing
