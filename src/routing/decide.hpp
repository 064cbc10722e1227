// One routing decision: filters in order, then the first policy with an opinion. Pure: no clock, no I/O, no randomness
// but the context's.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kvgate/candidate.hpp"
#include "kvgate/reason.hpp"
#include "kvgate/route_context.hpp"
#include "routing/catalogue.hpp"

namespace kvgate::routing {

/// What a filter took away (what it would have, when an empty result is ignored).
struct Drop {
  std::string_view filter;
  std::size_t count = 0;
  bool ignored = false;                              ///< nobody would have been left: as if the filter were not there
  std::vector<fleet::Endpoint const*> endpoints;     ///< in a detailed trace
};

/// What a policy said.
struct Opinion {
  std::string_view policy;
  Reason why;
  bool abstained = true;
  std::vector<double> costs;                         ///< in a detailed trace: of each candidate that was left; NaN: none
};

/// How a decision came about. Reused between decisions.
struct Trace {
  std::vector<Drop> drops;
  std::vector<Opinion> opinions;
  bool detailed = false;

  void clear() noexcept;
};

struct Verdict {
  Candidate const* chosen = nullptr;   ///< points into `candidates`; null: a filter left nobody
  std::string_view decider;            ///< the policy that chose, or the filter that refused
  Reason why;
};

/// `candidates` is pruned in place. An empty list is refused by "fleet".
Verdict decide(Plan const& plan, RouteContext const& context, std::vector<Candidate>& candidates,
               Trace* trace = nullptr);

}  // namespace kvgate::routing
