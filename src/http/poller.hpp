// Readiness of sockets: one edge-triggered epoll per worker inside its io_context. A socket is registered once; after that
// waiting costs no system call, and a peer's FIN is seen even behind unread bytes (EPOLLRDHUP, which Asio does not ask for).
#pragma once

#include <sys/epoll.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <span>

#include "http/async.hpp"

namespace kvgate::http {

/// What is known of one descriptor. `readable` and `writable` mean "try": the owner clears them when a call would block.
struct Readiness {
  bool readable = false;
  bool writable = false;
  bool peer_closed = false;    ///< FIN, reset or error: set once, for good
  bool broken = false;         ///< reset or error
  Listener* listener = nullptr;
};

class Poller {
 public:
  /// Throws std::system_error when there is no descriptor left. Runs until stop() or the end of the io_context.
  explicit Poller(net::io_context& io);
  ~Poller();

  /// False (errno is set) when the kernel refuses. `readiness` must stay where it is until remove().
  bool add(int fd, Readiness& readiness) noexcept;
  /// Before the descriptor is closed; events already fetched for it are dropped.
  void remove(int fd, Readiness& readiness) noexcept;
  void stop();

 private:
  void wait();
  void dispatch();

  bool stopped_ = false;
  int epoll_;
  net::posix::stream_descriptor descriptor_;
  epoll_event events_[256];
  std::span<epoll_event> batch_;     // the events of the running dispatch that are still to be told
};

}  // namespace kvgate::http
