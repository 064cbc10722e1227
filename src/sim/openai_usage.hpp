// `usage` as the chat and completions APIs word it.
#pragma once

#include "sim/json.hpp"
#include "sim/shape.hpp"

namespace kvgate::sim {

/// Of a whole answer; `created` whether the blocks added to the cache are told (chat) or null (completions).
Json whole_usage(Usage const& usage, bool created);

/// Of the last chunk of a stream; `created` as above, but left out.
Json final_usage(Usage const& usage, bool created);

/// Of every chunk, with stream_options.continuous_usage_stats.
Json running_usage(Usage const& usage);

}  // namespace kvgate::sim
