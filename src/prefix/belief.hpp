// What a touch of an engine's blocks leaves with the request, so that it can be taken back or compared with the truth.
#pragma once

#include <array>
#include <cstdint>

#include "prefix/epoch_counts.hpp"

namespace kvgate::prefix {

/// Plain data, about a cache line and a half. Good for the table that made it; stale after its clear(), which is
/// noticed.
struct Belief {
  /// Leading blocks that were last used together, before this touch.
  struct Step {
    std::uint32_t from = 0;  // the first of them; the next step's first ends it
    Epoch last_use = 0;
    std::uint64_t newer = 0;  // live blocks that had been used since
  };

  Epoch epoch = 0;             // of this touch
  std::uint32_t known = 0;     // leading blocks believed cached before
  std::uint32_t measured = 0;  // of those the ones that `steps` covers
  std::uint32_t joined = 0;    // this touch joined an earlier one's epoch, as the n-th that did; 0: the epoch is its own
  bool forgotten = false;      // block `known` had been believed cached once, until the limit made us forget
  std::uint8_t step_count = 0;
  std::array<Step, 3> steps{};  // usually one or two: what the prompt shares with other users', and the rest of a chat
};

}  // namespace kvgate::prefix
