// One client connection: requests one after another, as uvicorn serves them.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "sim/state.hpp"

namespace kvgate::sim {

/// Runs until the connection ends. `engine` outlives it. A client that closes, also only its sending side, while it is
/// being answered is noticed at once and ends that work.
boost::asio::awaitable<void> serve_connection(EngineState& engine, boost::asio::ip::tcp::socket socket);

}  // namespace kvgate::sim
