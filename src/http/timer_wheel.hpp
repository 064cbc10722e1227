// Coarse deadlines: setting, moving and clearing one is a few pointer writes and no system call. Fires up to one tick late,
// never early.
#pragma once

#include <array>
#include <chrono>

#include "http/async.hpp"
#include "kvgate/clock.hpp"

namespace kvgate::http {

class TimerWheel;
class Deadline;

struct TimerSlot {
  Deadline* first = nullptr;
};

/// One deadline of one owner, linked into the wheel while it is set. Must not move; clears itself when it goes.
class Deadline {
 public:
  Deadline(TimerWheel& wheel, Listener& listener) : wheel_(wheel), listener_(listener) {}
  Deadline(Deadline const&) = delete;
  Deadline& operator=(Deadline const&) = delete;
  ~Deadline() { clear(); }

  /// Replaces an earlier setting. A duration of 0 means no limit.
  void set_after(Clock::duration after);
  void set_at(Clock::time_point at);
  void clear() noexcept;
  bool expired() const noexcept { return expired_; }
  bool is_set() const noexcept { return slot_ != nullptr; }

 private:
  friend class TimerWheel;
  TimerWheel& wheel_;
  Listener& listener_;
  Clock::time_point at_{};
  TimerSlot* slot_ = nullptr;
  Deadline* prev_ = nullptr;
  Deadline* next_ = nullptr;
  bool expired_ = false;
};

/// One per worker; not thread-safe.
class TimerWheel {
 public:
  static constexpr std::chrono::milliseconds kTick{50};

  TimerWheel() : last_(Clock::now()) {}
  TimerWheel(TimerWheel const&) = delete;
  TimerWheel& operator=(TimerWheel const&) = delete;

  /// When advance() should be called next; negative: nothing is set.
  std::chrono::milliseconds until_next(Clock::time_point now) const noexcept;
  /// Tells the listeners of the deadlines that have passed; cheap when it is not yet time to look.
  void advance(Clock::time_point now);

 private:
  friend class Deadline;
  static constexpr std::size_t kSlots = 1024;   // 51 s a turn; later deadlines stay for another turn

  void link(Deadline& deadline);
  void unlink(Deadline& deadline) noexcept;
  void expire(TimerSlot& slot, Clock::time_point now);

  std::array<TimerSlot, kSlots> slots_{};
  Clock::time_point last_;                      // everything up to here has been looked at
  std::size_t count_ = 0;
  Deadline* cursor_ = nullptr;                  // next deadline of the running expire(): kept valid by unlink()
};

}  // namespace kvgate::http
