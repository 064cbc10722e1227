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

/// How many candidates a filter took away (those that it would have, when an empty result is ignored).
struct Drop {
  std::string_view filter;
  std::size_t count = 0;
};

struct Verdict {
  Candidate const* chosen = nullptr;   ///< points into `candidates`; null: a filter left nobody
  std::string_view decider;            ///< the policy that chose, or the filter that refused
  Reason why;
};

/// `drops`, when given, gets a row for each filter that dropped somebody. `candidates` is pruned in place. An empty list is refused by "fleet".
Verdict decide(Plan const& plan, RouteContext const& context, std::vector<Candidate>& candidates,
               std::vector<Drop>* drops = nullptr);

}  // namespace kvgate::routing
