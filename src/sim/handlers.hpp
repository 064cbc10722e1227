// The endpoints. Each answers its exchange completely, or returns early when the connection is gone.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "sim/exchange.hpp"

namespace kvgate::sim {

using Handler = boost::asio::awaitable<void> (*)(Exchange&);

boost::asio::awaitable<void> chat_completions(Exchange& exchange);
boost::asio::awaitable<void> completions(Exchange& exchange);
boost::asio::awaitable<void> messages(Exchange& exchange);
boost::asio::awaitable<void> responses(Exchange& exchange);
boost::asio::awaitable<void> transcriptions(Exchange& exchange);

boost::asio::awaitable<void> embeddings(Exchange& exchange);
boost::asio::awaitable<void> pooling(Exchange& exchange);
boost::asio::awaitable<void> score(Exchange& exchange);
boost::asio::awaitable<void> rerank(Exchange& exchange);

// These need no time.
Reply health(EngineState& engine, Request const& request);
Reply ping(EngineState& engine, Request const& request);
Reply version(EngineState& engine, Request const& request);
Reply load(EngineState& engine, Request const& request);
Reply metrics_page(EngineState& engine, Request const& request);
Reply models(EngineState& engine, Request const& request);
Reply tokenize_text(EngineState& engine, Request const& request);
Reply detokenize_ids(EngineState& engine, Request const& request);
Reply count_tokens(EngineState& engine, Request const& request);
Reply get_response(EngineState& engine, Request const& request);
Reply cancel_response(EngineState& engine, Request const& request);
Reply sleep_engine(EngineState& engine, Request const& request);
Reply wake_up(EngineState& engine, Request const& request);
Reply is_sleeping(EngineState& engine, Request const& request);
Reply reset_prefix_cache(EngineState& engine, Request const& request);

// The simulator's own.
Reply sim_stats(EngineState& engine, Request const& request);
Reply sim_fault(EngineState& engine, Request const& request);
Reply sim_reset(EngineState& engine, Request const& request);

}  // namespace kvgate::sim
