// Plain sums of the workers' cells, as one scrape found them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "metrics/worker_metrics.hpp"

namespace kvgate::metrics {

/// What is known of one (route, model, engine), or of several added up. In a reading prefill and decoding are never
/// negative, and their sum is what is in flight.
struct SeriesReading {
  std::uint64_t incoming = 0, started = 0, prefill = 0, decoding = 0, bytes_in = 0, bytes_out = 0, client_aborts = 0;
  std::array<Tokens, 2> tokens;  ///< from usage, estimated
  std::map<int, std::uint64_t> statuses;
  HistogramReading ttft, itl;
  std::array<HistogramReading, 2> durations;  ///< success, error
  std::array<std::uint64_t, kErrorKinds> engine_errors{};

  void add(RequestSeries const& series);
};

/// Everything else that a worker counts, summed over workers.
struct WorkerReading {
  std::uint64_t accepted = 0, connections = 0, body_buffered = 0, poisoned = 0;
  std::uint64_t engine_opened = 0, engine_reused = 0, engine_idle_closed = 0;
  HistogramReading decision_seconds, tokenize_seconds;
  std::map<std::pair<std::string_view, std::string_view>, std::uint64_t> decisions, abstained;
  std::map<std::string_view, std::uint64_t> filtered, tokenized;
  std::map<std::pair<std::string_view, std::uint32_t>, Prediction> predictions;   ///< by policy and engine
  std::map<std::string_view, HistogramReading> prediction_errors;                 ///< by policy
  std::array<std::uint64_t, kErrorKinds> errors{}, retries{};

  void add(WorkerMetrics const& worker);
};

struct KeyLess {
  bool operator()(SeriesKey const& a, SeriesKey const& b) const noexcept {
    return std::tuple(a.engine, a.model, a.route) < std::tuple(b.engine, b.model, b.route);
  }
};
using SeriesReadings = std::map<SeriesKey, SeriesReading, KeyLess>;

SeriesReadings read_series(std::span<std::unique_ptr<WorkerMetrics> const> workers);

}  // namespace kvgate::metrics
