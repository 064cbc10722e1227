// Which models an engine serves, kept current.
#pragma once

#include <boost/asio/awaitable.hpp>

namespace kvgate::watch {

namespace net = boost::asio;

struct Context;
struct Engine;

/// Reads the engine's /v1/models until cancelled: at once, then every models.refresh ±10 %, sooner after a failure (1
/// s, doubling) and when its bell is rung. A failed refresh keeps the old list. Logs when the outcome changes, not at
/// every try. Ends at once for an engine whose models are configured.
net::awaitable<void> watch_models(Context& context, Engine& engine);

}  // namespace kvgate::watch
