#include "metrics/scrape_builder.hpp"

#include <chrono>
#include <string>

#include "base/log.hpp"

namespace kvgate::metrics {
namespace {

constexpr std::string_view kSources[] = {"usage", "estimated"};
constexpr std::string_view kOutcomes[] = {"success", "error"};

double number(std::uint64_t n) {
  return static_cast<double>(n);
}

}  // namespace

ScrapeBuilder::Labels ScrapeBuilder::labels(SeriesKey const& key) const {
  auto const& routes = registry_.routes_;
  bool const known = key.route < routes.size() && !routes[key.route].empty();
  return {known ? std::string_view(routes[key.route]) : kUnknown, registry_.models_.label(key.model),
          registry_.engines_.label(key.engine)};
}

void ScrapeBuilder::series(SeriesReadings const& readings) {
  for (auto const& [key, reading] : readings) {
    Labels const names = labels(key);
    by_model(names, reading);
    if (!registry_.visible(key.engine, now_)) continue;
    by_engine(names, reading);
    if (key.engine != 0) as_python_router(names, reading);
  }
}

void ScrapeBuilder::by_model(Labels const& names, SeriesReading const& reading) {
  if (reading.incoming != 0) {
    out_.add(Metric::incoming, {names.route, names.model}, number(reading.incoming));
    out_.add(Metric::vllm_incoming, {names.model}, number(reading.incoming));
  }
  for (auto const& duration : reading.durations) out_.add(Metric::duration, {names.route, names.model}, duration);
  out_.add(Metric::client_aborts, {names.model}, number(reading.client_aborts));
  for (std::size_t i = 0; i < reading.tokens.size(); ++i) {
    auto const& tokens = reading.tokens[i];
    out_.add(Metric::prompt_tokens, {names.model, kSources[i]}, number(tokens.prompt));
    out_.add(Metric::cached_tokens, {names.model, kSources[i]}, number(tokens.cached));
    out_.add(Metric::completion_tokens, {names.model, kSources[i]}, number(tokens.completion));
  }
}

void ScrapeBuilder::by_engine(Labels const& names, SeriesReading const& reading) {
  for (auto const& [status, n] : reading.statuses) {
    std::string const text = status == 0 ? "other" : std::to_string(status);
    out_.add(Metric::requests, {names.route, names.model, names.engine, text}, number(n));
  }
  if (reading.started != 0) {
    out_.add(Metric::in_flight, {names.model, names.engine}, number(reading.prefill + reading.decoding));
  }
  out_.add(Metric::ttft, {names.model, names.engine}, reading.ttft);
  out_.add(Metric::itl, {names.model, names.engine}, reading.itl);
  out_.add(Metric::request_bytes, {names.model, names.engine}, number(reading.bytes_in));
  out_.add(Metric::response_bytes, {names.model, names.engine}, number(reading.bytes_out));
}

void ScrapeBuilder::as_python_router(Labels const& names, SeriesReading const& reading) {
  out_.add(Metric::vllm_input_tokens, {names.engine, names.model}, number(reading.tokens[0].prompt));
  out_.add(Metric::vllm_output_tokens, {names.engine, names.model}, number(reading.tokens[0].completion));
  for (std::size_t i = 0; i < kErrorKinds; ++i) {
    if (reading.engine_errors[i] == 0) continue;
    auto const kind = to_string(static_cast<ErrorKind>(i));
    out_.add(Metric::vllm_errors, {names.engine, names.model, kind}, number(reading.engine_errors[i]));
  }
  for (std::size_t i = 0; i < reading.durations.size(); ++i) {
    out_.add(Metric::vllm_latency, {names.engine, names.model, kOutcomes[i]},
             rebucket(reading.durations[i], kDurationBounds, kVllmLatencyBounds));
  }
}

void ScrapeBuilder::engines(RateWindow::Totals const& totals, SeriesReadings const& readings) {
  for (std::uint32_t id = 1; id <= registry_.engines_.last_id(); ++id) {
    if (!registry_.visible(id, now_)) continue;
    auto const server = registry_.engines_.label(id);
    EngineRates const rates = registry_.window_.rates(now_, id, totals[id]);
    out_.add(Metric::vllm_qps, {server}, rates.per_second);
    if (rates.mean_seconds) out_.add(Metric::vllm_avg_latency, {server}, *rates.mean_seconds);
    for (auto const metric : {Metric::vllm_prefill, Metric::vllm_decoding, Metric::vllm_running}) {
      out_.add(metric, {server}, 0);  // present also before the first request
    }
  }
  for (auto const& [key, reading] : readings) {
    if (key.engine == 0 || !registry_.visible(key.engine, now_)) continue;
    auto const server = registry_.engines_.label(key.engine);
    out_.add(Metric::vllm_prefill, {server}, number(reading.prefill));
    out_.add(Metric::vllm_decoding, {server}, number(reading.decoding));
    out_.add(Metric::vllm_running, {server}, number(reading.prefill + reading.decoding));
  }
}

void ScrapeBuilder::workers(WorkerReading const& reading) {
  out_.add(Metric::connections, {}, number(reading.accepted));
  out_.add(Metric::connections_open, {}, number(reading.connections));
  out_.add(Metric::body_buffered, {}, number(reading.body_buffered));
  out_.add(Metric::poisoned, {}, number(reading.poisoned));
  out_.add(Metric::engine_connections_opened, {}, number(reading.engine_opened));
  out_.add(Metric::engine_connections_reused, {}, number(reading.engine_reused));
  out_.add(Metric::engine_connections_idle_closed, {}, number(reading.engine_idle_closed));
  out_.add(Metric::decision, {}, reading.decision_seconds);
  for (auto const& [names, n] : reading.decisions) out_.add(Metric::decisions, {names.first, names.second}, number(n));
  for (auto const& [names, n] : reading.abstained) out_.add(Metric::abstained, {names.first, names.second}, number(n));
  for (auto const& [filter, n] : reading.filtered) out_.add(Metric::filtered, {filter}, number(n));
  for (auto const& [result, n] : reading.tokenized) out_.add(Metric::tokenized, {result}, number(n));
  out_.add(Metric::tokenize_seconds, {}, reading.tokenize_seconds);
  predictions(reading);
  // Zeros too: rate() needs to see a counter before it first grows.
  for (std::size_t i = 0; i < kErrorKinds; ++i) {
    auto const cause = to_string(static_cast<ErrorKind>(i));
    out_.add(Metric::errors, {cause}, number(reading.errors[i]));
    out_.add(Metric::retries, {cause}, number(reading.retries[i]));
  }
}

void ScrapeBuilder::predictions(WorkerReading const& reading) {
  for (auto const& [policy, errors] : reading.prediction_errors) out_.add(Metric::prediction_error, {policy}, errors);
  for (auto const& [of, sums] : reading.predictions) {
    auto const& [policy, engine] = of;
    if (!registry_.visible(engine, now_)) continue;
    auto const name = registry_.engines_.label(engine);
    out_.add(Metric::prediction_prompt, {policy, name}, number(sums.prompt));
    out_.add(Metric::prediction_predicted, {policy, name}, number(sums.predicted));
    out_.add(Metric::prediction_reported, {policy, name}, number(sums.reported));
  }
}

void ScrapeBuilder::control(ControlFacts const& facts) {
  for (auto const& engine : facts.engines) {
    auto const name = registry_.engines_.label(engine.id);
    out_.add(Metric::engine_up, {name}, engine.up ? 1 : 0);
    out_.add(Metric::vllm_healthy, {name}, engine.usable ? 1 : 0);
    for (auto const& [metric, value] : engine.told) out_.add(metric, {name}, value);
    for (auto const& [result, n] : engine.scrapes) out_.add(Metric::engine_scrapes, {name, result}, number(n));
  }
  tokens(facts.tokens);
  out_.add(Metric::memory_used, {}, number(facts.memory_used));
  out_.add(Metric::memory_limit, {}, number(facts.memory_limit));
  out_.add(Metric::accept_pauses, {}, number(registry_.accept_pauses_.load(std::memory_order_relaxed)));
  out_.add(Metric::log_dropped, {}, number(log::dropped()));
  out_.add(Metric::build_info, {KVGATE_VERSION}, 1);
}

void ScrapeBuilder::tokens(ControlFacts::Tokens const& facts) {
  for (auto const& [model, state] : facts.states) out_.add(Metric::tokenizer_state, {model, state}, 1);
  out_.add(Metric::token_cache_texts, {"hit"}, number(facts.cache_hits));
  out_.add(Metric::token_cache_texts, {"miss"}, number(facts.cache_misses));
  out_.add(Metric::token_cache_text_bytes, {"hit"}, number(facts.cache_hit_bytes));
  out_.add(Metric::token_cache_text_bytes, {"miss"}, number(facts.cache_missed_bytes));
  out_.add(Metric::token_cache_bytes, {}, number(facts.cache_bytes));
}

void ScrapeBuilder::process(ProcessFacts const& facts) {
  out_.add(Metric::process_cpu, {}, facts.cpu_seconds);
  out_.add(Metric::process_start, {}, std::chrono::duration<double>(registry_.started_.time_since_epoch()).count());
  out_.add(Metric::process_resident, {}, number(facts.resident_bytes));
  out_.add(Metric::process_open_fds, {}, number(facts.open_fds));
  out_.add(Metric::process_max_fds, {}, number(facts.max_fds));
}

}  // namespace kvgate::metrics
