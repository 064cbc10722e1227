// A listening socket that hands each connection to the least busy worker.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <string>

#include "base/address.hpp"

namespace kvgate::server {

/// Lives on the control thread. The socket is closed by stop() or with the object.
class Acceptor {
 public:
  struct Options {
    std::string host;
    std::uint16_t port = 0;
    std::size_t max_connections = 0;             ///< accepting pauses at this many
  };
  struct Hooks {
    std::function<void(int fd, SocketAddress const& peer)> accepted;   ///< takes the descriptor over
    std::function<std::size_t()> open_connections;
    std::function<void()> paused;                ///< no descriptor left, or max_connections reached
  };

  /// Listens at once. Throws std::system_error with the address in its text.
  Acceptor(boost::asio::io_context& io, Options options, Hooks hooks);

  /// The address that is really listened on (port 0: the one that was free).
  SocketAddress const& address() const noexcept { return address_; }
  void stop();

 private:
  void wait();
  void accept_some();
  void pause();

  Options options_;
  Hooks hooks_;
  SocketAddress address_;
  boost::asio::posix::stream_descriptor socket_;
  boost::asio::steady_timer pause_;
};

}  // namespace kvgate::server
