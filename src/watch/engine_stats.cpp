#include "watch/engine_stats.hpp"

#include <optional>
#include <string>

#include "base/log.hpp"
#include "watch/engine.hpp"
#include "watch/report.hpp"
#include "watch/stats_text.hpp"

namespace kvgate::watch {
namespace {

using fleet::ScrapeResult;

constexpr std::size_t kMaxMetrics = 4 * 1024 * 1024;

struct Scrape {
  ScrapeResult result = ScrapeResult::failed;
  std::string problem;                      ///< as Report wants it
  std::optional<fleet::EngineStats> stats;  ///< when ok
};

Scrape read(Result<http::FetchResponse> const& response) {
  if (!response) return {ScrapeResult::failed, response.error().message, std::nullopt};
  if (response->status != 200) {
    return {ScrapeResult::failed, "status " + std::to_string(response->status), std::nullopt};
  }
  auto stats = parse_engine_stats(response->body);
  if (stats) return {ScrapeResult::ok, "", std::move(stats)};
  return {
      ScrapeResult::no_known_series,
      "no_known_series: nothing of vLLM's num_requests_running, num_requests_waiting, kv_cache_usage_perc; its load "
      "stays unknown",
      std::nullopt};
}

net::awaitable<Scrape> scrape(Context& context, Engine& engine) {
  auto request = engine_get(engine, context.config.engine_stats.path);
  request.timeout = context.config.engine_stats.timeout;
  request.max_body = kMaxMetrics;
  co_return read(co_await ask(context, std::move(request)));
}

void take_over(Context& context, Engine& engine, fleet::EngineStats stats) {
  if (!context.registry.set_stats(engine.endpoint, std::move(stats))) return;
  log::warn("engine {} has been restarted", engine.endpoint->url());
  engine.restarted = true;
  engine.tokens_bell.ring();
  engine.models_bell.ring();  // it may have come back with others
}

}  // namespace

net::awaitable<void> watch_stats(Context& context, Engine& engine) {
  auto const& config = context.config.engine_stats;
  if (!config.enabled) co_return;
  if (!engine.looked_up) co_await engine.stats_bell.wait(config.timeout);
  for (Report report("metrics", engine.endpoint->url());;) {
    auto const begin = Clock::now();
    auto seen = co_await scrape(context, engine);
    engine.endpoint->stats().count(seen.result);
    report.outcome(seen.problem);
    if (seen.stats) {
      seen.stats->gauges.taken = begin;
      take_over(context, engine, std::move(*seen.stats));
    }
    co_await engine.stats_bell.wait(begin + jittered(config.interval, context.random) - Clock::now());
  }
}

}  // namespace kvgate::watch
