// The root of the metrics: owns the workers' cells and the names behind ids, and writes the exposition.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kvgate/clock.hpp"
#include "metrics/names.hpp"
#include "metrics/rate_window.hpp"
#include "metrics/readings.hpp"
#include "metrics/worker_metrics.hpp"

namespace kvgate::metrics {

/// What the control side knows at the time of a scrape.
struct ControlFacts {
  struct Engine {
    std::uint32_t id = 0;
    bool up = false;      ///< as the health checks say
    bool usable = false;  ///< would be given a request now
    std::vector<std::pair<Metric, double>> told;  ///< series with no other label; what is unknown is left out
    std::vector<std::pair<std::string_view, std::uint64_t>> scrapes;  ///< by result
  };
  struct Tokens {
    std::vector<std::pair<std::string, std::string_view>> states;  ///< model and state
    std::uint64_t cache_hits = 0, cache_misses = 0, cache_hit_bytes = 0, cache_missed_bytes = 0, cache_bytes = 0;
  };
  std::vector<Engine> engines;
  Tokens tokens;
  std::uint64_t memory_used = 0;   ///< bytes counted against limits.memory
  std::uint64_t memory_limit = 0;  ///< bytes
};

/// Thread-safe. Memory and exposition are bounded by the routes, models and engines that the gate itself interned;
/// series are never freed, only hidden.
class Registry {
 public:
  /// How long the series of a departed engine stay in the exposition.
  static constexpr std::chrono::minutes kDepartedStay{10};

  /// `started`: process_start_time_seconds.
  Registry(Clock::time_point now, WallClock::time_point started);

  /// The cells of one more worker; they live as long as the registry.
  WorkerMetrics& add_worker();

  /// labels[id] is the label of that route id. Several ids may share one.
  void set_routes(std::span<std::string const> labels);
  /// The id of a model that configuration or an engine named; 0 (unknown) for the empty name and beyond 4096 models.
  std::uint32_t intern_model(std::string_view name);
  /// The id of an engine; the same URL always has the same id. An engine that comes back is no longer departed.
  std::uint32_t intern_engine(std::string_view url);
  /// Its series leave the exposition kDepartedStay after `now`. Sums over engines keep what it did.
  void engine_departed(std::uint32_t id, Clock::time_point now);

  /// Called at each scrape, on the scraping thread, with no lock held.
  void set_control_source(std::function<ControlFacts()> source);

  /// Accepting paused: no descriptors left, or as many connections as limits.connections allows.
  void accept_paused() noexcept { accept_pauses_.fetch_add(1, std::memory_order_relaxed); }

  /// Remembers the counters for vllm:current_qps and vllm:avg_latency. Call it every few seconds; a scrape does it too.
  void sample(Clock::time_point now);

  /// The exposition in Prometheus' text format; `now` must not go back between calls.
  std::string expose(Clock::time_point now);

 private:
  friend class ScrapeBuilder;

  bool visible(std::uint32_t engine, Clock::time_point now) const noexcept;
  RateWindow::Totals totals(SeriesReadings const& readings) const;
  ControlFacts control_facts();

  WallClock::time_point const started_;
  std::atomic<std::uint64_t> accept_pauses_{0};

  std::mutex mutex_;  // guards all below; taken before a worker's own
  std::vector<std::unique_ptr<WorkerMetrics>> workers_;
  std::vector<std::string> routes_;
  Names models_;
  Names engines_;
  std::vector<std::optional<Clock::time_point>> departed_;  // by engine id
  RateWindow window_;
  std::function<ControlFacts()> source_;
};

}  // namespace kvgate::metrics
