#include "watch/bell.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace kvgate::watch {

net::awaitable<void> Bell::wait(Clock::duration at_most) {
  if (!rung_) {
    timer_.expires_after(at_most);
    co_await timer_.async_wait(net::as_tuple(net::use_awaitable));
  }
  rung_ = false;
}

}  // namespace kvgate::watch
