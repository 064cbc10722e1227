// Name look-ups off the control thread. Each runs on a thread of its own and not on Asio's resolver, whose one thread
// per io_context would let a name server that does not answer delay every other engine, and the end of the process.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/address.hpp"
#include "kvgate/error.hpp"

namespace kvgate::http {

namespace net = boost::asio;

using Addresses = std::vector<SocketAddress>;

/// A blocking look-up: addresses with the port set, best first, never empty; or engine_unreachable "resolve_failed: …".
/// Called on a thread of its own; must not throw.
using Lookup = std::function<Result<Addresses>(std::string const& host, std::uint16_t port)>;

/// getaddrinfo(): hosts file, DNS, address literals; sorted as RFC 6724 says.
Result<Addresses> system_lookup(std::string const& host, std::uint16_t port);

/// Runs `lookup` on a new thread and waits for it without blocking. When the coroutine is cancelled or destroyed first,
/// the thread is left alone and its result is thrown away.
net::awaitable<Result<Addresses>> look_up(std::string host, std::uint16_t port, Lookup lookup);

}  // namespace kvgate::http
