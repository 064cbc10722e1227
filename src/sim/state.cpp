#include "sim/state.hpp"

#include <cinttypes>
#include <cstdio>

#include "kvgate/clock.hpp"

namespace kvgate::sim {

EngineState::EngineState(SimOptions const& given)
    : options(given),
      started(unix_seconds()),
      cache(given.num_gpu_blocks),
      scheduler(given.max_num_seqs),
      random_(std::random_device{}()) {}

void EngineState::apply(Fault const& fault) {
  switch (fault.kind) {
    case FaultKind::health_down:
      health = fault;
      break;
    case FaultKind::sleeping:
      scheduler.sleep(true);
      break;
    case FaultKind::refuse:
      stop_listening(fault.delay);
      break;
    default:
      faults.push(fault);
  }
}

void EngineState::reset() {
  cache.clear();
  metrics = Metrics();
  responses.clear();
  faults.clear();
  health = Fault();
  auto const open = stats.connections;
  stats = SimStats();
  stats.connections = open;
  scheduler.sleep(false);
}

SimStats EngineState::snapshot() const {
  auto copy = stats;
  copy.running = scheduler.running();
  copy.waiting = scheduler.waiting();
  return copy;
}

std::string EngineState::unique_id() {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, static_cast<std::uint64_t>(random_()));
  return text;
}

std::int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(WallClock::now().time_since_epoch()).count();
}

}  // namespace kvgate::sim
