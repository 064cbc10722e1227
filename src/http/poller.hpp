// Readiness of sockets: one edge-triggered epoll per worker. A socket is registered once; after that waiting for it costs
// no system call, and a peer's FIN is seen even behind unread bytes (EPOLLRDHUP, which Asio does not ask for).
#pragma once

#include <sys/epoll.h>

#include <chrono>
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

/// Used by one thread, except interrupt().
class Poller {
 public:
  /// Throws std::system_error when there is no descriptor left.
  Poller();
  ~Poller();
  Poller(Poller const&) = delete;
  Poller& operator=(Poller const&) = delete;

  /// False (errno is set) when the kernel refuses. `readiness` must stay where it is until remove().
  bool add(int fd, Readiness& readiness) noexcept;
  /// Before the descriptor is closed; events already fetched for it are dropped.
  void remove(int fd, Readiness& readiness) noexcept;

  /// An event of it is among those that the running wait() still has to tell.
  bool pending(Readiness const& readiness) const noexcept;

  /// Waits for news, at most so long (negative: for ever), and tells the listeners.
  void wait(std::chrono::milliseconds at_most);
  /// Makes the running or the next wait() return. Any thread.
  void interrupt() noexcept;

 private:
  void apply(epoll_event const& event);

  int epoll_;
  int wakeup_;                       // an eventfd
  epoll_event events_[256];
  std::span<epoll_event> batch_;     // the events of the running wait() that are still to be told
};

}  // namespace kvgate::http
