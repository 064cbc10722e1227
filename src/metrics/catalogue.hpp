// The catalogue: every metric's name, type, labels and help in one table. The exposition and docs/metrics.md come from
// it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kvgate::metrics {

enum class Metric : std::uint8_t {
  requests,
  incoming,
  in_flight,
  ttft,
  itl,
  duration,
  prompt_tokens,
  cached_tokens,
  completion_tokens,
  request_bytes,
  response_bytes,
  client_aborts,
  errors,
  retries,
  poisoned,
  decision,
  decisions,
  filtered,
  abstained,
  connections,
  connections_open,
  accept_pauses,
  engine_connections_opened,
  engine_connections_reused,
  engine_connections_idle_closed,
  engine_up,
  engine_running,
  engine_waiting,
  engine_kv_usage,
  engine_sleeping,
  engine_stats_age,
  engine_scrapes,
  engine_prefill_rate,
  prediction_prompt,
  prediction_predicted,
  prediction_reported,
  prediction_error,
  prefix_index_bytes,
  prefix_index_blocks,
  prefix_index_capacity,
  tokenized,
  tokenize_seconds,
  tokenizer_state,
  token_cache_texts,
  token_cache_text_bytes,
  token_cache_bytes,
  body_buffered,
  memory_used,
  memory_limit,
  log_dropped,
  build_info,
  // Names that the Python router gave its users.
  vllm_qps,
  vllm_prefill,
  vllm_decoding,
  vllm_running,
  vllm_waiting,
  vllm_avg_latency,
  vllm_healthy,
  vllm_prefix_hit_rate,
  vllm_prefix_hits,
  vllm_prefix_queries,
  vllm_incoming,
  vllm_input_tokens,
  vllm_output_tokens,
  vllm_errors,
  vllm_latency,
  // Names that every Prometheus client library uses.
  process_cpu,
  process_start,
  process_resident,
  process_open_fds,
  process_max_fds,
  count_
};

inline constexpr std::size_t kMetricCount = static_cast<std::size_t>(Metric::count_);

enum class Type : std::uint8_t { counter, gauge, histogram };

std::string_view to_string(Type type) noexcept;

struct MetricInfo {
  Metric metric;
  std::string_view name;
  Type type;
  std::string_view labels;              ///< names, comma-separated, in the order of the values; empty: none
  std::string_view help;                ///< one line: prometheus-cpp does not escape it
  std::span<double const> bounds = {};  ///< upper bounds of a histogram's buckets, +Inf left out
};

// Bucket bounds in seconds, ascending.
inline constexpr std::array kTtftBounds = {.001, .005, .01, .025, .05, .1,  .25, .5,
                                           1.,   2.5,  5.,  10.,  20., 40., 80., 160.};
inline constexpr std::array kItlBounds = {.0025, .005, .01, .025, .05, .075, .1, .15, .2, .3, .5, 1., 2.5};
inline constexpr std::array kDurationBounds = {.005, .01, .025, .05, .1,   .25,  .5,   1.,   2.5,
                                               5.,   10., 30.,  60., 120., 300., 600., 1800.};
inline constexpr std::array kDecisionBounds = {1e-6,   2.5e-6, 5e-6, 1e-5, 2.5e-5, 5e-5, 1e-4,
                                               2.5e-4, 5e-4,   1e-3, 5e-3, 1e-2,   5e-2, .1};
/// Tokens; 0 is a prediction that came true exactly.
inline constexpr std::array kPredictionErrorBounds = {0., 16., 64., 256., 1024., 4096., 16384., 65536.};
/// The Python router's; a subset of kDurationBounds, from which the counts are taken.
inline constexpr std::array kVllmLatencyBounds = {.05, .1, .25, .5, 1., 2.5, 5., 10., 30., 60., 120.};

/// In the order of Metric; static storage.
std::span<MetricInfo const> catalogue() noexcept;
MetricInfo const& info(Metric metric) noexcept;

/// The table of docs/metrics.md, between its markers: a Markdown table, one row a metric, with the final newline.
std::string catalogue_markdown();

}  // namespace kvgate::metrics
