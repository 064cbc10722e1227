// Breaking ties: the candidate that was picked longest ago. Fair, and an idle fleet does not herd on its first endpoint.
#pragma once

#include <cstddef>
#include <span>

#include "kvgate/candidate.hpp"

namespace kvgate::routing {

/// The candidate with the smallest `cost(candidate)`; among equals the one picked longest ago. `candidates` not empty.
template <class Cost>
std::size_t cheapest(std::span<Candidate const> candidates, Cost cost) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    auto const a = cost(candidates[i]);
    auto const b = cost(candidates[best]);
    if (a < b || (!(b < a) && candidates[i].last_pick < candidates[best].last_pick)) best = i;
  }
  return best;
}

}  // namespace kvgate::routing
