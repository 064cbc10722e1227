#include "metrics/request_series.hpp"

namespace kvgate::metrics {

void StatusCounters::add(int status) noexcept {
  if (status < 100 || status > 599) return other_.add();
  for (auto& slot : slots_) {
    int const taken_by = slot.status.load(std::memory_order_relaxed);
    if (taken_by == 0) slot.status.store(status, std::memory_order_relaxed);
    if (taken_by == 0 || taken_by == status) return slot.count.add();
  }
  other_.add();
}

void RequestSeries::finished(int status, double seconds) noexcept {
  statuses_.add(status);
  durations_[status < 400 ? 0 : 1].observe(seconds);
}

void RequestSeries::tokens(Tokens const& tokens) noexcept {
  auto& cells = tokens_[tokens.estimated ? 1 : 0];
  cells.prompt.add(tokens.prompt);
  cells.cached.add(tokens.cached);
  cells.completion.add(tokens.completion);
}

}  // namespace kvgate::metrics
