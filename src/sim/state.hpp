// Everything that the endpoints of one engine share. Used from the engine's own thread only.
#pragma once

#include <chrono>
#include <functional>
#include <random>
#include <string>

#include "sim/fault.hpp"
#include "sim/metrics.hpp"
#include "sim/options.hpp"
#include "sim/prefix_cache.hpp"
#include "sim/response_store.hpp"
#include "sim/scheduler.hpp"
#include "sim/stats.hpp"

namespace kvgate::sim {

struct EngineState {
  explicit EngineState(SimOptions const& given);

  SimOptions const options;
  std::int64_t const started;  ///< seconds since the epoch
  PrefixCache cache;
  Scheduler scheduler;
  Metrics metrics;
  ResponseStore responses;
  FaultQueue faults;
  Fault health;                                                   ///< kind health_down while /health is to fail
  SimStats stats;                                                 ///< running and waiting are filled in by snapshot()
  std::function<void(std::chrono::milliseconds)> stop_listening;  ///< set by the listener

  /// Queues the fault, or puts the engine into the state that it names.
  void apply(Fault const& fault);

  /// Back to a fresh engine, but for what is running and for the options.
  void reset();

  SimStats snapshot() const;

  /// 16 hex digits that no other call returns.
  std::string unique_id();

 private:
  std::mt19937_64 random_;
};

/// Seconds since the epoch, for `created` and the metrics.
std::int64_t unix_seconds();

}  // namespace kvgate::sim
