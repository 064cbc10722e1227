// What a scrape tells of tokenizers.
#pragma once

#include "metrics/registry.hpp"
#include "text/cache/segment_cache.hpp"
#include "tokens/table.hpp"

namespace kvgate::server {

metrics::ControlFacts::Tokens token_facts(tokens::Table::Map const& models, text::SegmentCache::Stats const& cache);

}  // namespace kvgate::server
