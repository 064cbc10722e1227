#include "http/poller.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace kvgate::http {
namespace {

int checked(int fd, char const* call) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), call);
  return fd;
}

}  // namespace

Poller::Poller()
    : epoll_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wakeup_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;   // edge-triggered: nobody needs to read it
  event.data.ptr = nullptr;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, wakeup_, &event);
}

Poller::~Poller() {
  close(wakeup_);
  close(epoll_);
}

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

bool Poller::pending(Readiness const& readiness) const noexcept {
  for (auto const& event : batch_)
    if (event.data.ptr == &readiness) return true;
  return false;
}

void Poller::interrupt() noexcept {
  std::uint64_t const one = 1;
  [[maybe_unused]] auto const written = write(wakeup_, &one, sizeof one);   // a full counter is readable all the same
}

void Poller::wait(std::chrono::milliseconds at_most) {
  int const n = epoll_wait(epoll_, events_, std::size(events_), static_cast<int>(at_most.count()));
  if (n <= 0) return;
  batch_ = std::span(events_, static_cast<std::size_t>(n));
  while (!batch_.empty()) {
    auto const event = batch_.front();
    batch_ = batch_.subspan(1);
    if (event.data.ptr) apply(event);
  }
}

void Poller::apply(epoll_event const& event) {
  auto& readiness = *static_cast<Readiness*>(event.data.ptr);
  auto const events = event.events;
  if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) readiness.readable = true;
  if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) readiness.writable = true;
  if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) readiness.peer_closed = true;
  if (events & (EPOLLHUP | EPOLLERR)) readiness.broken = true;
  if (readiness.listener) readiness.listener->on_news();
}

}  // namespace kvgate::http
