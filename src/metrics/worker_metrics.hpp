// What one worker counts. Written by that worker alone, without locks; the Registry sums all workers at a scrape.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "kvgate/error.hpp"
#include "metrics/cells.hpp"
#include "metrics/label_counters.hpp"
#include "metrics/prediction_counters.hpp"
#include "metrics/request_series.hpp"

namespace kvgate::metrics {

/// For a request whose path is not in the route table.
inline constexpr std::uint16_t kNoRoute = 0xFFFF;

/// Obtained once from Registry::add_worker(), which owns it. Every member but the readers is for the owning worker.
class alignas(64) WorkerMetrics {
 public:
  WorkerMetrics();
  WorkerMetrics(WorkerMetrics const&) = delete;
  WorkerMetrics& operator=(WorkerMetrics const&) = delete;

  /// Never null, valid as long as the Registry. The first call for a key allocates and takes a mutex that a scrape may
  /// hold for microseconds; later ones do neither.
  RequestSeries* request_series(std::uint16_t route, std::uint32_t model, std::uint32_t engine) {
    SeriesKey const key{route, model, engine};
    for (std::size_t i = slot_of(key);; i = (i + 1) & mask_) {
      if (table_[i] == nullptr) return insert(key);
      if (table_[i]->key() == key) return table_[i];
    }
  }

  void connection_opened() noexcept {
    connections_.up();
    accepted_.add();
  }
  void connection_closed() noexcept { connections_.down(); }

  void decided(std::string_view policy, std::string_view reason, double seconds) {
    decisions_.add(policy, reason);
    decision_seconds_.observe(seconds);
  }
  /// `dropped` engines were taken from the candidates by `filter`.
  void filtered(std::string_view filter, std::uint64_t dropped = 1) { filtered_.add(filter, {}, dropped); }

  void abstained(std::string_view policy, std::string_view reason) { abstained_.add(policy, reason); }

  /// The prompt of a request was, or was not, made into token ids; `seconds` of those that were.
  void tokenized(std::string_view result, std::optional<double> seconds) {
    tokenized_.add(result);
    if (seconds) tokenize_seconds_.observe(*seconds);
  }

  /// An answer told its cached tokens, and they had been predicted.
  void predicted(std::string_view policy, std::uint32_t engine, Prediction const& prediction) {
    predictions_.add(policy, engine, prediction);
  }

  /// The gate answered a request with its own error, or cut it short.
  void error(ErrorKind kind) noexcept { errors_[static_cast<std::size_t>(kind)].add(); }
  /// A request is sent once more because of `kind`.
  void retried(ErrorKind kind) noexcept { retries_[static_cast<std::size_t>(kind)].add(); }
  void poisoned_refused() noexcept { poisoned_.add(); }

  void engine_connection_opened() noexcept { engine_opened_.add(); }
  void engine_connection_reused() noexcept { engine_reused_.add(); }
  void engine_connection_idle_closed() noexcept { engine_idle_closed_.add(); }

  /// Request-body bytes now held in memory, and given back.
  void body_buffered(std::uint64_t bytes) noexcept { body_buffered_.up(bytes); }
  void body_released(std::uint64_t bytes) noexcept { body_buffered_.down(bytes); }

  /// Any thread: the series that exist now.
  std::vector<RequestSeries const*> all_series() const;

 private:
  friend struct WorkerReading;

  std::size_t slot_of(SeriesKey const& key) const noexcept {
    std::uint64_t const mixed = ((std::uint64_t{key.model} << 32) | key.engine) * 0x9E3779B97F4A7C15U + key.route;
    return static_cast<std::size_t>((mixed * 0xD6E8FEB86659FD93U) >> 32) & mask_;
  }
  RequestSeries* insert(SeriesKey const& key);
  void grow();
  void place(RequestSeries* series) noexcept;

  // Open addressing over series_; at most half full. Only the owner looks at it.
  std::vector<RequestSeries*> table_;
  std::size_t mask_;

  mutable std::mutex mutex_;  // for insertions and for reading the lists, never for the cells
  std::vector<std::unique_ptr<RequestSeries>> series_;
  LabelCounters decisions_{mutex_};
  LabelCounters filtered_{mutex_};
  LabelCounters abstained_{mutex_};
  LabelCounters tokenized_{mutex_};
  PredictionCounters predictions_{mutex_};

  UpDown connections_;
  UpDown body_buffered_;
  Counter accepted_, poisoned_, engine_opened_, engine_reused_, engine_idle_closed_;
  Histogram<kDecisionBounds> decision_seconds_, tokenize_seconds_;
  std::array<Counter, kErrorKinds> errors_;
  std::array<Counter, kErrorKinds> retries_;
};

}  // namespace kvgate::metrics
