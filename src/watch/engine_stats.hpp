// What an engine says of its own load, kept current.
#pragma once

#include <boost/asio/awaitable.hpp>

namespace kvgate::watch {

namespace net = boost::asio;

struct Context;
struct Engine;

/// Reads the engine's metrics until cancelled: at once, then every engine_stats.interval ±10 %, start to start. A
/// failed read changes nothing, so what was known grows old; it says nothing of the engine's health. Logs when the
/// outcome changes, not at every try. When the engine has started anew, its models are asked for. Ends at once when
/// engine_stats.enabled is off.
net::awaitable<void> watch_stats(Context& context, Engine& engine);

}  // namespace kvgate::watch
