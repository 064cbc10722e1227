// A sleep that can be cut short.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "kvgate/clock.hpp"

namespace kvgate::watch {

namespace net = boost::asio;

/// One waiter, one thread. A ring while nobody waits is kept for the next wait.
class Bell {
 public:
  explicit Bell(net::any_io_executor const& executor) : timer_(executor) {}

  void ring() {
    rung_ = true;
    timer_.cancel();
  }

  /// Returns when rung or when the time is over; at once when it has been rung since the last wait.
  net::awaitable<void> wait(Clock::duration at_most);

 private:
  net::steady_timer timer_;
  bool rung_ = false;
};

}  // namespace kvgate::watch
