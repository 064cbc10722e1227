#include "http/poller.hpp"

#include <cerrno>
#include <system_error>

namespace kvgate::http {
namespace {

int make_epoll() {
  int const fd = epoll_create1(EPOLL_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  return fd;
}

void apply(std::uint32_t events, Readiness& readiness) {
  if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) readiness.readable = true;
  if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) readiness.writable = true;
  if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) readiness.peer_closed = true;
  if (events & (EPOLLHUP | EPOLLERR)) readiness.broken = true;
  if (readiness.listener) readiness.listener->on_news();
}

}  // namespace

Poller::Poller(net::io_context& io) : epoll_(make_epoll()), descriptor_(io, epoll_) { wait(); }

Poller::~Poller() = default;

bool Poller::add(int fd, Readiness& readiness) noexcept {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.ptr = &readiness;
  return epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) == 0;
}

void Poller::remove(int fd, Readiness& readiness) noexcept {
  epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
  for (auto& event : batch_)
    if (event.data.ptr == &readiness) event.data.ptr = nullptr;
}

void Poller::stop() {
  stopped_ = true;   // a wait that has ended already is not cancelled any more
  boost::system::error_code ignored;
  descriptor_.cancel(ignored);
}

void Poller::wait() {
  descriptor_.async_wait(net::posix::stream_descriptor::wait_read, [this](boost::system::error_code error) {
    if (error || stopped_) return;
    dispatch();
    wait();
  });
}

void Poller::dispatch() {
  int const n = epoll_wait(epoll_, events_, std::size(events_), 0);
  if (n <= 0) return;
  batch_ = std::span(events_, static_cast<std::size_t>(n));
  while (!batch_.empty()) {
    auto const event = batch_.front();
    batch_ = batch_.subspan(1);
    if (event.data.ptr) apply(event.events, *static_cast<Readiness*>(event.data.ptr));
  }
}

}  // namespace kvgate::http
