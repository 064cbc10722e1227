// Rates over the last 60 seconds, from samples of counters that only grow.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "kvgate/clock.hpp"

namespace kvgate::metrics {

/// Counters of one engine at one time.
struct EngineTotals {
  std::uint64_t started = 0;     ///< attempts sent to it
  std::uint64_t succeeded = 0;   ///< requests it answered below 400
  double succeeded_seconds = 0;  ///< their durations together
};

struct EngineRates {
  double per_second = 0;
  std::optional<double> mean_seconds;  ///< nothing succeeded in the window: none
};

/// Not thread-safe. Remembers at most one sample a second for little more than the window.
class RateWindow {
 public:
  static constexpr std::chrono::seconds kWindow{60};
  using Totals = std::vector<EngineTotals>;  ///< indexed by engine id

  explicit RateWindow(Clock::time_point start) : samples_{{start, {}}} {}

  void sample(Clock::time_point now, Totals const& totals);

  /// Against the youngest sample that is at least the window old. A process younger than the window is divided by the
  /// window all the same, so that the rate is "requests in the last 60 s, divided by 60".
  EngineRates rates(Clock::time_point now, std::uint32_t engine, EngineTotals const& totals) const;

 private:
  struct Sample {
    Clock::time_point at;
    Totals totals;
  };
  std::deque<Sample> samples_;  // oldest first, never empty
};

}  // namespace kvgate::metrics
