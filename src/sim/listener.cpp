#include "sim/listener.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "sim/session.hpp"

namespace kvgate::sim {

namespace net = boost::asio;
using std::chrono::steady_clock;

namespace {

constexpr auto kRetry = std::chrono::milliseconds(20);

}  // namespace

Listener::Listener(net::io_context& io, EngineState& engine)
    : engine_(engine), endpoint_(net::ip::make_address(engine.options.host), engine.options.port), acceptor_(io) {
  open();
  endpoint_ = acceptor_.local_endpoint();
}

void Listener::open() {
  acceptor_.open(endpoint_.protocol());
  // So that the port can be taken again while connections of the past are still in TIME_WAIT.
  acceptor_.set_option(net::socket_base::reuse_address(true));
  acceptor_.bind(endpoint_);
  acceptor_.listen(4096);
}

void Listener::start() {
  engine_.stop_listening = [this](std::chrono::milliseconds delay) { close_for(delay); };
  net::co_spawn(acceptor_.get_executor(), accept_all(), net::detached);
}

void Listener::close_for(std::chrono::milliseconds delay) {
  closed_until_ = steady_clock::now() + delay;
  boost::system::error_code ignored;
  acceptor_.close(ignored);
}

net::awaitable<void> Listener::accept_all() {
  for (;;) {
    auto [error, socket] = co_await acceptor_.async_accept(net::as_tuple(net::use_awaitable));
    if (error) {
      co_await recover();
    } else {
      net::co_spawn(acceptor_.get_executor(), serve_connection(engine_, std::move(socket)), net::detached);
    }
  }
}

/// After a failed accept: waits, and listens again if the listener has been closed.
net::awaitable<void> Listener::recover() {
  net::steady_timer timer(acceptor_.get_executor());
  // Also when it is still open (no descriptors left): accepting at once would only spin.
  timer.expires_at(std::max(closed_until_, steady_clock::now() + kRetry));
  co_await timer.async_wait(net::use_awaitable);
  if (acceptor_.is_open()) co_return;
  try {
    open();
  } catch (boost::system::system_error const&) {
    // Somebody else has the port now: the next accept fails and leads here again.
    boost::system::error_code ignored;
    acceptor_.close(ignored);
  }
}

}  // namespace kvgate::sim
