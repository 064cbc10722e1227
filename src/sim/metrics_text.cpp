#include <algorithm>
#include <charconv>
#include <string_view>

#include "sim/metrics.hpp"
#include "sim/state.hpp"

namespace kvgate::sim {
namespace {

/// As prometheus_client of Python writes it: always a float.
std::string number(double value) {
  char text[32];
  auto const end = std::to_chars(text, text + sizeof text, value).ptr;
  std::string out(text, end);
  if (out.find_first_of(".en") == std::string::npos) out += ".0";
  return out;
}

std::string escaped(std::string_view value) {
  std::string out;
  for (char const c : value) {
    if (c == '\\' || c == '"') out.push_back('\\');
    if (c == '\n')
      out += "\\n";
    else
      out.push_back(c);
  }
  return out;
}

/// Writes families one after another. Labels are kept in alphabetical order, as vLLM's exporter does.
class Page {
 public:
  explicit Page(EngineState const& engine)
      : created_(number(static_cast<double>(engine.started))),
        model_("model_name=\"" + escaped(engine.options.models.front()) + "\""),
        labels_("engine=\"0\"," + model_) {}

  void family(std::string_view name, std::string_view help, std::string_view type) {
    out_.append("# HELP ").append(name).append(" ").append(help).append("\n");
    out_.append("# TYPE ").append(name).append(" ").append(type).append("\n");
  }

  void sample(std::string_view name, std::string_view labels, double value) {
    out_.append(name);
    if (!labels.empty()) out_.append("{").append(labels).append("}");
    out_.append(" ").append(number(value)).append("\n");
  }

  void gauge(std::string_view name, std::string_view help, double value) {
    family(name, help, "gauge");
    sample(name, labels_, value);
  }

  /// `name` without `_total`.
  void counter(std::string const& name, std::string_view help, double value) {
    family(name + "_total", help, "counter");
    sample(name + "_total", labels_, value);
    created(name, help);
  }

  void histogram(std::string const& name, std::string_view help, Histogram const& histogram) {
    family(name, help, "histogram");
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < histogram.counts().size(); ++i) {
      below += histogram.counts()[i];
      auto const le = i < histogram.bounds().size() ? number(histogram.bounds()[i]) : "+Inf";
      sample(name + "_bucket", "engine=\"0\",le=\"" + le + "\"," + model_, static_cast<double>(below));
    }
    sample(name + "_count", labels_, static_cast<double>(below));
    sample(name + "_sum", labels_, histogram.sum());
    created(name, help);
  }

  void created(std::string const& name, std::string_view help) {
    family(name + "_created", help, "gauge");
    out_.append(name).append("_created{").append(labels_).append("} ").append(created_).append("\n");
  }

  std::string const& model() const noexcept { return model_; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
  std::string created_;
  std::string model_;
  std::string labels_;
};

void write_load(Page& page, EngineState const& engine) {
  auto const waiting = static_cast<double>(engine.scheduler.waiting());
  page.gauge("vllm:num_requests_running", "Number of requests in model execution batches.",
             static_cast<double>(engine.scheduler.running()));
  page.gauge("vllm:num_requests_waiting", "Number of requests waiting to be processed.", waiting);
  constexpr auto* by_reason = "vllm:num_requests_waiting_by_reason";
  page.family(by_reason, "Number of waiting requests by reason.", "gauge");
  page.sample(by_reason, "engine=\"0\"," + page.model() + ",reason=\"capacity\"", waiting);
  page.sample(by_reason, "engine=\"0\"," + page.model() + ",reason=\"deferred\"", 0);
  auto const usage = static_cast<double>(engine.scheduler.held_blocks()) / engine.options.num_gpu_blocks;
  page.gauge("vllm:kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.", std::min(usage, 1.0));
}

void write_state(Page& page, EngineState const& engine) {
  constexpr auto* state = "vllm:engine_sleep_state";
  page.family(state, "Engine sleep state; awake = 1 means engine is awake.", "gauge");
  bool const asleep = engine.scheduler.asleep();
  auto const labels = "engine=\"0\"," + page.model() + ",sleep_state=";
  page.sample(state, labels + "\"awake\"", asleep ? 0 : 1);
  page.sample(state, labels + "\"weights_offloaded\"", asleep ? 1 : 0);
  page.sample(state, labels + "\"discard_all\"", 0);
  auto const& options = engine.options;
  auto const size = std::to_string(std::uint64_t{options.block_size} * options.num_gpu_blocks);
  page.family("vllm:cache_config_info", "Information of the LLMEngine CacheConfig", "gauge");
  page.sample("vllm:cache_config_info",
              "block_size=\"" + std::to_string(options.block_size) +
                  "\",enable_prefix_caching=\"True\",engine=\"0\",kv_cache_size_tokens=\"" + size +
                  "\",num_gpu_blocks=\"" + std::to_string(options.num_gpu_blocks) +
                  "\",prefix_caching_hash_algo=\"sha256\"",
              1);
}

void write_tokens(Page& page, Metrics const& metrics) {
  auto const prompt = static_cast<double>(metrics.prompt_tokens);
  auto const cached = static_cast<double>(metrics.cached_tokens);
  page.counter("vllm:prefix_cache_queries", "Prefix cache queries, in terms of number of queried tokens.", prompt);
  page.counter("vllm:prefix_cache_hits", "Prefix cache hits, in terms of number of cached tokens.", cached);
  page.counter("vllm:prompt_tokens", "Number of prefill tokens processed.", prompt);
  page.counter("vllm:prompt_tokens_cached", "Number of cached prompt tokens (local + external).", cached);
  page.counter("vllm:generation_tokens", "Number of generation tokens processed.",
               static_cast<double>(metrics.generation_tokens));
}

void write_outcomes(Page& page, Metrics const& metrics) {
  constexpr auto* success = "vllm:request_success_total";
  page.family(success, "Count of successfully processed requests.", "counter");
  auto const add = [&](std::string const& reason, std::uint64_t value) {
    page.sample(success, "engine=\"0\",finished_reason=\"" + reason + "\"," + page.model(), static_cast<double>(value));
  };
  add("stop", metrics.finished_stop);
  add("length", metrics.finished_length);
  // Like vLLM 0.32, whose counter stays at 0 when a client leaves.
  for (auto const* reason : {"abort", "error", "repetition"}) add(reason, 0);
  constexpr auto* rejections = "vllm:admission_rejections_total";
  page.family(rejections, "Requests rejected at admission.", "counter");
  page.sample(rejections, page.model() + ",reason=\"max_num_queued_reqs\"", static_cast<double>(metrics.rejected));
}

void write_times(Page& page, Metrics const& metrics) {
  page.histogram("vllm:time_to_first_token_seconds", "Histogram of time to first token in seconds.",
                 metrics.time_to_first_token);
  page.histogram("vllm:inter_token_latency_seconds", "Histogram of inter-token latency in seconds.",
                 metrics.inter_token_latency);
  page.histogram("vllm:e2e_request_latency_seconds", "Histogram of e2e request latency in seconds.",
                 metrics.e2e_latency);
  page.histogram("vllm:request_queue_time_seconds", "Histogram of time spent in WAITING phase for request.",
                 metrics.queue_time);
  page.histogram("vllm:request_prefill_time_seconds", "Histogram of time spent in PREFILL phase for request.",
                 metrics.prefill_time);
}

}  // namespace

std::string metrics_text(EngineState const& engine) {
  Page page(engine);
  page.family("process_start_time_seconds", "Start time of the process since unix epoch in seconds.", "gauge");
  page.sample("process_start_time_seconds", "", static_cast<double>(engine.started));
  write_load(page, engine);
  write_state(page, engine);
  write_tokens(page, engine.metrics);
  write_outcomes(page, engine.metrics);
  write_times(page, engine.metrics);
  return page.take();
}

}  // namespace kvgate::sim
