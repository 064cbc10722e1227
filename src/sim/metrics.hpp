// What the engine measures, and its text under vLLM's names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kvgate::sim {

struct EngineState;

/// A Prometheus histogram. `bounds` ascend and outlive it; the bucket +Inf is implied.
class Histogram {
 public:
  explicit Histogram(std::span<double const> bounds) : bounds_(bounds), counts_(bounds.size() + 1) {}

  void observe(double value);

  std::span<double const> bounds() const noexcept { return bounds_; }
  std::span<std::uint64_t const> counts() const noexcept { return counts_; }  ///< not cumulative; +Inf last
  double sum() const noexcept { return sum_; }

 private:
  std::span<double const> bounds_;
  std::vector<std::uint64_t> counts_;
  double sum_ = 0;
};

/// Not thread-safe. All times in seconds.
struct Metrics {
  Metrics();

  std::uint64_t prompt_tokens = 0;  ///< prefilled or found cached
  std::uint64_t cached_tokens = 0;  ///< of these, found cached
  std::uint64_t generation_tokens = 0;
  std::uint64_t finished_stop = 0;
  std::uint64_t finished_length = 0;
  std::uint64_t rejected = 0;  ///< by max_num_queued_reqs
  Histogram time_to_first_token;
  Histogram inter_token_latency;
  Histogram e2e_latency;
  Histogram queue_time;
  Histogram prefill_time;
};

/// The body of GET /metrics.
std::string metrics_text(EngineState const& engine);

}  // namespace kvgate::sim
