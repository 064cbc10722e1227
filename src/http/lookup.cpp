#include "http/lookup.hpp"

#include <netdb.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace kvgate::http {
namespace {

Error resolve_failed(std::string const& host, std::string const& why) {
  return Error(ErrorKind::engine_unreachable, "resolve_failed: " + host + ": " + why);
}

/// Shared by the waiting coroutine and the thread; each may outlive the other.
struct Pending {
  std::mutex mutex;                            // guards waiter and result
  std::optional<net::any_io_executor> waiter;  // empty: nobody waits any more
  std::optional<Result<Addresses>> result;
  net::steady_timer* wake = nullptr;  // touched by the waiter's thread only
};

void deliver(std::shared_ptr<Pending> const& pending, Result<Addresses> result) {
  std::lock_guard lock(pending->mutex);
  pending->result = std::move(result);
  // The lock keeps the waiter, and with it the io_context, alive until the post is done.
  if (pending->waiter)
    net::post(*pending->waiter, [pending] {
      if (pending->wake) pending->wake->cancel();
    });
}

class Waiter {
 public:
  explicit Waiter(net::any_io_executor const& executor)
      : timer_(executor, net::steady_timer::time_point::max()), pending_(std::make_shared<Pending>()) {
    pending_->waiter = executor;
    pending_->wake = &timer_;
  }
  Waiter(Waiter const&) = delete;
  Waiter& operator=(Waiter const&) = delete;
  ~Waiter() {
    pending_->wake = nullptr;
    std::lock_guard lock(pending_->mutex);
    pending_->waiter.reset();
  }

  net::steady_timer& timer() noexcept { return timer_; }
  std::shared_ptr<Pending> const& pending() const noexcept { return pending_; }
  std::optional<Result<Addresses>> result() {
    std::lock_guard lock(pending_->mutex);
    return pending_->result;
  }

 private:
  net::steady_timer timer_;
  std::shared_ptr<Pending> pending_;
};

}  // namespace

Result<Addresses> system_lookup(std::string const& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (int const failure = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found)) {
    return resolve_failed(host, gai_strerror(failure));
  }
  Addresses addresses;
  for (auto const* at = found; at; at = at->ai_next) {
    SocketAddress address;
    std::memcpy(&address.storage, at->ai_addr, address.length = at->ai_addrlen);
    addresses.push_back(address);
  }
  freeaddrinfo(found);
  return addresses;
}

net::awaitable<Result<Addresses>> look_up(std::string host, std::uint16_t port, Lookup lookup) {
  Waiter waiter(co_await net::this_coro::executor);
  try {
    std::thread([pending = waiter.pending(), host, port, lookup = std::move(lookup)] {
      deliver(pending, lookup(host, port));
    }).detach();
  } catch (std::system_error const& error) {
    co_return resolve_failed(host, error.what());
  }
  for (;;) {
    co_await waiter.timer().async_wait(net::as_tuple(net::use_awaitable));
    // Woken without a result: cancelled. The next wait throws.
    if (auto result = waiter.result()) co_return std::move(*result);
  }
}

}  // namespace kvgate::http
