#include "metrics/worker_metrics.hpp"

namespace kvgate::metrics {

WorkerMetrics::WorkerMetrics() : table_(64), mask_(table_.size() - 1) {}

std::vector<RequestSeries const*> WorkerMetrics::all_series() const {
  std::lock_guard const lock(mutex_);
  std::vector<RequestSeries const*> all;
  all.reserve(series_.size());
  for (auto const& series : series_) all.push_back(series.get());
  return all;
}

RequestSeries* WorkerMetrics::insert(SeriesKey const& key) {
  auto series = std::make_unique<RequestSeries>(key);
  RequestSeries* const raw = series.get();
  {
    std::lock_guard const lock(mutex_);
    series_.push_back(std::move(series));
  }
  if (series_.size() * 2 > table_.size()) {
    grow();
  } else {
    place(raw);
  }
  return raw;
}

void WorkerMetrics::grow() {
  table_.assign(table_.size() * 2, nullptr);
  mask_ = table_.size() - 1;
  for (auto const& series : series_) place(series.get());
}

void WorkerMetrics::place(RequestSeries* series) noexcept {
  std::size_t i = slot_of(series->key());
  while (table_[i] != nullptr) i = (i + 1) & mask_;
  table_[i] = series;
}

}  // namespace kvgate::metrics
