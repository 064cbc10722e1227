#include "metrics/catalogue.hpp"

namespace kvgate::metrics {
namespace {

using enum Type;

constexpr MetricInfo kCatalogue[] = {
    {Metric::requests, "kvgate_requests_total", counter, "route,model,engine,status",
     "Requests answered, by the status that the client saw (499: it left before the end)."},
    {Metric::incoming, "kvgate_requests_incoming_total", counter, "route,model",
     "Requests whose head and model were read, whatever became of them."},
    {Metric::in_flight, "kvgate_requests_in_flight", gauge, "model,engine",
     "Requests that an engine is working on for this gate."},
    {Metric::ttft, "kvgate_time_to_first_token_seconds", histogram, "model,engine",
     "Time from a request's arrival to the first body byte of its response, of those answered 2xx.", kTtftBounds},
    {Metric::itl, "kvgate_inter_token_latency_seconds", histogram, "model,engine",
     "Time between two tokens of a streamed response.", kItlBounds},
    {Metric::duration, "kvgate_request_duration_seconds", histogram, "route,model",
     "Time from a request's arrival to the end of its response.", kDurationBounds},
    {Metric::prompt_tokens, "kvgate_prompt_tokens_total", counter, "model,source",
     "Prompt tokens; source says whether the engine's usage told them or the gate estimated them."},
    {Metric::cached_tokens, "kvgate_cached_prompt_tokens_total", counter, "model,source",
     "Prompt tokens that the engine found in its prefix cache."},
    {Metric::completion_tokens, "kvgate_completion_tokens_total", counter, "model,source", "Tokens generated."},
    {Metric::request_bytes, "kvgate_request_bytes_total", counter, "model,engine", "Body bytes of requests."},
    {Metric::response_bytes, "kvgate_response_bytes_total", counter, "model,engine",
     "Body bytes of responses to proxied requests, as framed (with chunk sizes)."},
    {Metric::client_aborts, "kvgate_client_aborts_total", counter, "model",
     "Requests whose client left before the end."},
    {Metric::errors, "kvgate_errors_total", counter, "cause", "Requests that the gate itself answered or cut short."},
    {Metric::retries, "kvgate_retries_total", counter, "cause",
     "Requests sent once more, to another engine or over a fresh connection."},
    {Metric::poisoned, "kvgate_poisoned_requests_total", counter, "",
     "Requests refused because the same body lost two engines shortly before."},
    {Metric::decision, "kvgate_decision_seconds", histogram, "", "Time taken to choose an engine.", kDecisionBounds},
    {Metric::decisions, "kvgate_decisions_total", counter, "policy,reason",
     "Routing decisions, by the policy that made them and its reason."},
    {Metric::filtered, "kvgate_filtered_total", counter, "filter",
     "Engines dropped from the candidates of a decision, by filter."},
    {Metric::abstained, "kvgate_abstained_total", counter, "policy,reason",
     "Decisions that a policy left to the next one in its chain, by its reason (no_session: the request had no key)."},
    {Metric::connections, "kvgate_connections_total", counter, "", "Client connections accepted."},
    {Metric::connections_open, "kvgate_connections_open", gauge, "", "Client connections open now."},
    {Metric::accept_pauses, "kvgate_accept_pauses_total", counter, "",
     "Times that accepting paused: no file descriptor was left, or limits.connections was reached."},
    {Metric::engine_connections_opened, "kvgate_engine_connections_opened_total", counter, "",
     "Connections opened to engines."},
    {Metric::engine_connections_reused, "kvgate_engine_connections_reused_total", counter, "",
     "Requests sent over a pooled connection."},
    {Metric::engine_connections_idle_closed, "kvgate_engine_connections_idle_closed_total", counter, "",
     "Pooled connections closed unused."},
    {Metric::engine_up, "kvgate_engine_up", gauge, "engine",
     "1 when the health checks say that the engine is up, and it has refused no connect since; else 0."},
    {Metric::engine_running, "kvgate_engine_running", gauge, "engine",
     "Requests in execution, whoever sent them, as the engine told; absent while that is unknown or too old."},
    {Metric::engine_waiting, "kvgate_engine_waiting", gauge, "engine",
     "Requests queued in the engine, as it told; absent while that is unknown or too old."},
    {Metric::engine_kv_usage, "kvgate_engine_kv_usage", gauge, "engine",
     "Share of the engine's KV blocks in use, 0 to 1, as it told; absent while that is unknown or too old."},
    {Metric::engine_sleeping, "kvgate_engine_sleeping", gauge, "engine",
     "1 while the engine says that it sleeps, else 0; absent while that is unknown or too old."},
    {Metric::engine_stats_age, "kvgate_engine_stats_age_seconds", gauge, "engine",
     "Time since the engine was last asked with success; absent before the first time."},
    {Metric::engine_scrapes, "kvgate_engine_scrapes_total", counter, "engine,result",
     "Reads of the engine's metrics; no_known_series: they say nothing that is known, so its load stays unknown."},
    {Metric::engine_prefill_rate, "kvgate_engine_prefill_tokens_per_second", gauge, "engine",
     "Prompt tokens that the engine computes per second, learned from its answers; absent until it is known."},
    {Metric::prediction_prompt, "kvgate_prediction_prompt_tokens_total", counter, "policy,engine",
     "Prompt tokens of the answers that told their cached tokens, where these had been predicted."},
    {Metric::prediction_predicted, "kvgate_prediction_predicted_cached_tokens_total", counter, "policy,engine",
     "Of kvgate_prediction_prompt_tokens_total, those that the gate believed to be cached."},
    {Metric::prediction_reported, "kvgate_prediction_reported_cached_tokens_total", counter, "policy,engine",
     "Of kvgate_prediction_prompt_tokens_total, those that the engine said were cached."},
    {Metric::prediction_error, "kvgate_prediction_error_tokens", histogram, "policy",
     "Difference between the cached tokens that were predicted and those that the engine reported, per answer.",
     kPredictionErrorBounds},
    {Metric::prefix_index_bytes, "kvgate_prefix_index_bytes", gauge, "engine",
     "Memory held for what the gate believes that the engine has cached; all together stay below prefix.max_memory."},
    {Metric::prefix_index_blocks, "kvgate_prefix_index_blocks", gauge, "engine",
     "Blocks of 64 bytes of prompt text that the engine is believed to have cached."},
    {Metric::prefix_index_capacity, "kvgate_prefix_index_capacity_blocks", gauge, "engine",
     "Such blocks that the engine is thought to have room for; absent until that is known."},
    {Metric::tokenized, "kvgate_tokenized_requests_total", counter, "result",
     "Requests for models with a tokenizer: exact or remote where the prompt's token ids are known, else why not."},
    {Metric::tokenize_seconds, "kvgate_tokenize_seconds", histogram, "",
     "Time taken to make a prompt's token ids, waiting for an engine or a thread included.", kDecisionBounds},
    {Metric::tokenizer_state, "kvgate_tokenizer_state", gauge, "model,state",
     "1 for the state that the model's tokenizer is in: off, loading, unchecked, exact, remote or fallback."},
    {Metric::token_cache_texts, "kvgate_token_cache_texts_total", counter, "result",
     "Texts looked up among those whose tokens are known (hit), or not (miss)."},
    {Metric::token_cache_text_bytes, "kvgate_token_cache_text_bytes_total", counter, "result",
     "Bytes of these texts: hit / (hit + miss) is the share that was not made into tokens again."},
    {Metric::token_cache_bytes, "kvgate_token_cache_bytes", gauge, "",
     "Memory held for the tokens of texts seen before; stays below tokenizers.cache."},
    {Metric::body_buffered, "kvgate_request_body_buffered_bytes", gauge, "", "Request-body bytes held in memory."},
    {Metric::memory_used, "kvgate_memory_used_bytes", gauge, "", "Bytes counted against limits.memory."},
    {Metric::memory_limit, "kvgate_memory_limit_bytes", gauge, "", "limits.memory as in effect."},
    {Metric::log_dropped, "kvgate_log_dropped_total", counter, "",
     "Log lines lost because the queue was full or a write failed."},
    {Metric::build_info, "kvgate_build_info", gauge, "version", "Always 1; the version is in the label."},

    {Metric::vllm_qps, "vllm:current_qps", gauge, "server",
     "Requests per second sent to the engine, over the last 60 seconds."},
    {Metric::vllm_prefill, "vllm:num_prefill_requests", gauge, "server",
     "Requests at the engine whose first body byte has not come."},
    {Metric::vllm_decoding, "vllm:num_decoding_requests", gauge, "server",
     "Requests at the engine whose response body has begun."},
    {Metric::vllm_running, "vllm:num_requests_running", gauge, "server",
     "Requests of this gate at the engine: prefill and decoding."},
    {Metric::vllm_waiting, "vllm:num_requests_waiting", gauge, "server",
     "Requests queued in the engine, as it told; absent while that is unknown or too old."},
    {Metric::vllm_avg_latency, "vllm:avg_latency", gauge, "server",
     "Mean duration in seconds of the requests answered in the last 60 seconds; absent when there were none."},
    {Metric::vllm_healthy, "vllm:healthy_pods_total", gauge, "server", "1 when the engine can take requests, else 0."},
    {Metric::vllm_prefix_hit_rate, "vllm:gpu_prefix_cache_hit_rate", gauge, "server",
     "Share of the looked up tokens that the engine's prefix cache held, since the engine started."},
    {Metric::vllm_prefix_hits, "vllm:gpu_prefix_cache_hits_total", counter, "server",
     "Tokens that the engine's prefix cache held, as it told."},
    {Metric::vllm_prefix_queries, "vllm:gpu_prefix_cache_queries_total", counter, "server",
     "Tokens looked up in the engine's prefix cache, as it told."},
    {Metric::vllm_incoming, "vllm:num_incoming_requests_total", counter, "model",
     "Requests whose head and model were read, whatever became of them."},
    {Metric::vllm_input_tokens, "vllm:input_tokens_total", counter, "server,model",
     "Prompt tokens as the engine's usage told them."},
    {Metric::vllm_output_tokens, "vllm:output_tokens_total", counter, "server,model",
     "Tokens generated as the engine's usage told them."},
    {Metric::vllm_errors, "vllm:request_errors_total", counter, "server,model,error_type",
     "Failed attempts at the engine, also those that a retry made good."},
    {Metric::vllm_latency, "vllm:request_latency_seconds", histogram, "server,model,status",
     "Time from a request's arrival to the end of its response; status is success (below 400) or error.",
     kVllmLatencyBounds},

    {Metric::process_cpu, "process_cpu_seconds_total", counter, "", "User and system CPU time spent."},
    {Metric::process_start, "process_start_time_seconds", gauge, "", "Start of the process, seconds since the epoch."},
    {Metric::process_resident, "process_resident_memory_bytes", gauge, "", "Resident memory."},
    {Metric::process_open_fds, "process_open_fds", gauge, "", "Open file descriptors."},
    {Metric::process_max_fds, "process_max_fds", gauge, "", "Most file descriptors that may be open."},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kCatalogue); ++i) {
    if (static_cast<std::size_t>(kCatalogue[i].metric) != i) return false;
  }
  return std::size(kCatalogue) == kMetricCount;
}
static_assert(in_order(), "one row for every Metric, in its order");

std::string code_list(std::string_view labels) {
  std::string out;
  for (char const c : labels) out += c == ',' ? std::string("`, `") : std::string(1, c);
  return out.empty() ? out : "`" + out + "`";
}

}  // namespace

std::string_view to_string(Type type) noexcept {
  switch (type) {
    case counter:
      return "counter";
    case gauge:
      return "gauge";
    case histogram:
      break;
  }
  return "histogram";
}

std::span<MetricInfo const> catalogue() noexcept {
  return kCatalogue;
}

MetricInfo const& info(Metric metric) noexcept {
  return kCatalogue[static_cast<std::size_t>(metric)];
}

std::string catalogue_markdown() {
  std::string out = "| name | type | labels | meaning |\n|---|---|---|---|\n";
  for (auto const& row : kCatalogue) {
    out += "| `";
    out.append(row.name).append("` | ").append(to_string(row.type)).append(" | ");
    out.append(code_list(row.labels)).append(" | ").append(row.help).append(" |\n");
  }
  return out;
}

}  // namespace kvgate::metrics
