// Accepts an engine's connections, and can stop listening for a while.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>

#include "sim/state.hpp"

namespace kvgate::sim {

/// Used from the io_context's thread only, once that runs.
class Listener {
 public:
  /// Binds to the host and port of the options. Throws boost::system::system_error when that fails.
  Listener(boost::asio::io_context& io, EngineState& engine);

  /// Begins to accept; call once.
  void start();

  std::uint16_t port() const noexcept { return endpoint_.port(); }

 private:
  using tcp = boost::asio::ip::tcp;

  void open();
  void close_for(std::chrono::milliseconds delay);
  boost::asio::awaitable<void> accept_all();
  boost::asio::awaitable<void> recover();

  EngineState& engine_;
  tcp::endpoint endpoint_;
  tcp::acceptor acceptor_;
  std::chrono::steady_clock::time_point closed_until_;
};

}  // namespace kvgate::sim
