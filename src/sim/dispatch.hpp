// From a request to its endpoint: the key, the route, and what is to go wrong.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "sim/exchange.hpp"

namespace kvgate::sim {

/// Answers the request; never throws but when the coroutine is cancelled.
boost::asio::awaitable<void> dispatch(Exchange& exchange);

}  // namespace kvgate::sim
