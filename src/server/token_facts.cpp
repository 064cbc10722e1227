#include "server/token_facts.hpp"

namespace kvgate::server {

metrics::ControlFacts::Tokens token_facts(tokens::Table::Map const& models, text::SegmentCache::Stats const& cache) {
  metrics::ControlFacts::Tokens facts;
  for (auto const& [id, model] : models) facts.states.emplace_back(id, tokens::to_string(model->state));
  facts.cache_hits = cache.hits;
  facts.cache_misses = cache.misses;
  facts.cache_hit_bytes = cache.hit_bytes;
  facts.cache_missed_bytes = cache.missed_bytes;
  facts.cache_bytes = cache.bytes;
  return facts;
}

}  // namespace kvgate::server
