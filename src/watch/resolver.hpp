// The addresses of engines that are given by name, kept current.
#pragma once

#include <boost/asio/awaitable.hpp>

namespace kvgate::watch {

namespace net = boost::asio;

struct Context;
struct Engine;

/// Looks the engine's name up until cancelled: at once, every 30 s, and when its bell is rung, but at most once a
/// second. A failed look-up keeps the last good addresses. Ends at once for a literal. Each look-up has a thread of its
/// own, so a name server that does not answer holds up nobody else.
net::awaitable<void> watch_addresses(Context& context, Engine& engine);

}  // namespace kvgate::watch
