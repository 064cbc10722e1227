#include "http/timer_wheel.hpp"

#include <algorithm>

namespace kvgate::http {
namespace {

/// The tick in which a deadline is due, rounded up.
std::int64_t tick_number(Clock::time_point at) noexcept {
  auto const since = std::chrono::duration_cast<std::chrono::microseconds>(at.time_since_epoch()).count();
  auto const tick = std::chrono::microseconds(TimerWheel::kTick).count();
  return (since + tick - 1) / tick;
}

}  // namespace

void Deadline::set_after(Clock::duration after) {
  clear();
  if (after > Clock::duration::zero()) set_at(Clock::now() + after);
}

void Deadline::set_at(Clock::time_point at) {
  clear();
  at_ = at;
  wheel_.link(*this);
}

void Deadline::clear() noexcept {
  expired_ = false;
  if (is_set()) wheel_.unlink(*this);
}

void TimerWheel::link(Deadline& d) {
  if (count_ == 0) last_ = std::max(last_, Clock::now() - kTick);   // nobody looked while nothing was set
  auto& slot = slots_[static_cast<std::size_t>(tick_number(std::max(d.at_, last_ + kTick))) % kSlots];
  d.slot_ = &slot;
  d.next_ = slot.first;
  if (slot.first) slot.first->prev_ = &d;
  slot.first = &d;
  ++count_;
}

void TimerWheel::unlink(Deadline& d) noexcept {
  if (cursor_ == &d) cursor_ = d.next_;
  (d.prev_ ? d.prev_->next_ : d.slot_->first) = d.next_;
  if (d.next_) d.next_->prev_ = d.prev_;
  d.prev_ = d.next_ = nullptr;
  d.slot_ = nullptr;
  --count_;
}

std::chrono::milliseconds TimerWheel::until_next(Clock::time_point now) const noexcept {
  if (count_ == 0) return std::chrono::milliseconds(-1);
  auto const left = std::chrono::ceil<std::chrono::milliseconds>(last_ + kTick - now);
  return std::max(left, std::chrono::milliseconds(0));
}

void TimerWheel::advance(Clock::time_point now) {
  if (count_ == 0 || now < last_ + kTick) return;
  auto const first = tick_number(last_);
  auto const steps = std::min<std::int64_t>(tick_number(now) - first, kSlots);
  last_ = now;
  for (std::int64_t i = 0; i <= steps; ++i) expire(slots_[static_cast<std::size_t>(first + i) % kSlots], now);
}

void TimerWheel::expire(TimerSlot& slot, Clock::time_point now) {
  for (auto* d = slot.first; d; d = cursor_) {
    cursor_ = d->next_;
    if (d->at_ > now) continue;
    unlink(*d);
    d->expired_ = true;
    d->listener_.on_news();
  }
  cursor_ = nullptr;
}

}  // namespace kvgate::http
