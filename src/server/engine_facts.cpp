#include "server/engine_facts.hpp"

namespace kvgate::server {
namespace {

using metrics::Metric;
using Engine = metrics::ControlFacts::Engine;

template <class T>
void tell(Engine& facts, Metric metric, std::optional<T> const& value) {
  if (value) facts.told.emplace_back(metric, static_cast<double>(*value));
}

void tell_prefix_cache(Engine& facts, fleet::EngineGauges const& gauges) {
  tell(facts, Metric::vllm_prefix_queries, gauges.prefix_queries);
  tell(facts, Metric::vllm_prefix_hits, gauges.prefix_hits);
  if (!gauges.prefix_queries || !gauges.prefix_hits || *gauges.prefix_queries <= 0) return;
  facts.told.emplace_back(Metric::vllm_prefix_hit_rate, *gauges.prefix_hits / *gauges.prefix_queries);
}

void tell_reported(Engine& facts, fleet::EngineGauges const& gauges) {
  tell(facts, Metric::engine_running, gauges.running);
  tell(facts, Metric::engine_waiting, gauges.waiting);
  tell(facts, Metric::vllm_waiting, gauges.waiting);
  tell(facts, Metric::engine_kv_usage, gauges.kv_usage);
  facts.told.emplace_back(Metric::engine_sleeping, gauges.sleeping ? 1 : 0);
  tell_prefix_cache(facts, gauges);
}

void tell_prefix_index(Engine& facts, prefix::CachedBlocks::Stats const& stats) {
  facts.told.emplace_back(Metric::prefix_index_bytes, static_cast<double>(stats.bytes));
  facts.told.emplace_back(Metric::prefix_index_blocks, static_cast<double>(stats.live_blocks));
  if (stats.capacity) facts.told.emplace_back(Metric::prefix_index_capacity, static_cast<double>(stats.capacity));
}

}  // namespace

Engine engine_facts(fleet::Member const& member, Clock::time_point now, Clock::duration stale) {
  auto const& endpoint = *member.endpoint;
  bool const up = endpoint.health() == fleet::Health::up;
  Engine facts{endpoint.metrics_id(), up, up && member.models_known, {}, {}};
  auto const gauges = endpoint.stats().gauges();
  if (gauges.known()) {
    facts.told.emplace_back(Metric::engine_stats_age, std::chrono::duration<double>(gauges.age(now)).count());
  }
  if (gauges.fresh(now, stale)) tell_reported(facts, gauges);
  tell(facts, Metric::engine_prefill_rate, endpoint.prefill_rate().tokens_per_second());
  tell_prefix_index(facts, endpoint.cached_blocks().stats());
  for (std::size_t i = 0; i < fleet::kScrapeResults; ++i) {
    auto const result = static_cast<fleet::ScrapeResult>(i);
    facts.scrapes.emplace_back(to_string(result), endpoint.stats().scrapes(result));
  }
  return facts;
}

}  // namespace kvgate::server
