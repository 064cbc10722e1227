#include "sim/scheduler.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace kvgate::sim {

namespace net = boost::asio;

void Scheduler::sleep(bool asleep) {
  asleep_ = asleep;
  start_next();
}

void Scheduler::start_next() {
  if (stopped_ || asleep_ || prefilling_ != nullptr || queue_.empty() || running_ >= max_running_) return;
  auto* next = queue_.front();
  queue_.pop_front();
  prefilling_ = next;
  ++running_;
  held_blocks_ += next->blocks_;
  next->start();
}

Sequence::Sequence(Scheduler& scheduler, net::any_io_executor const& executor, std::size_t blocks)
    : scheduler_(scheduler), timer_(executor, Clock::time_point::max()), blocks_(blocks) {
  scheduler_.queue_.push_back(this);
  scheduler_.start_next();
}

Sequence::~Sequence() {
  if (started_) {
    prefilled();
    --scheduler_.running_;
    scheduler_.held_blocks_ -= blocks_;
  } else {
    scheduler_.queue_.remove(this);
  }
  scheduler_.start_next();
}

void Sequence::start() {
  started_ = true;
  due_ = Clock::now();
  timer_.cancel();
}

net::awaitable<void> Sequence::turn() {
  // A cancelled coroutine leaves the loop by the exception that its next co_await throws.
  while (!started_) co_await timer_.async_wait(net::as_tuple(net::use_awaitable));
}

void Sequence::prefilled() {
  if (scheduler_.prefilling_ != this) return;
  scheduler_.prefilling_ = nullptr;
  scheduler_.start_next();
}

net::awaitable<void> Sequence::pass(Clock::duration time) {
  if (time <= Clock::duration::zero()) co_return;
  // A late waker, or a client that took its time reading, does not make the tokens after it come in a burst.
  due_ = std::max(due_ + time, Clock::now());
  timer_.expires_at(due_);
  co_await timer_.async_wait(net::use_awaitable);
}

}  // namespace kvgate::sim
