// Often read, seldom replaced state (RCU): readers keep a cached copy and look at one atomic to see whether it is stale.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace kvgate {

/// Holds the current version of an immutable T. publish() and load() may be called from any thread.
template <class T>
class Snapshot {
 public:
  explicit Snapshot(std::shared_ptr<T const> first) : current_(std::move(first)) {}

  void publish(std::shared_ptr<T const> next) {
    std::lock_guard lock(mutex_);
    current_ = std::move(next);
    version_.fetch_add(1, std::memory_order_release);
  }

  std::shared_ptr<T const> load() const {
    std::lock_guard lock(mutex_);
    return current_;
  }

  /// One per reading thread. get() costs one atomic load while nothing changes; the reference is good until the next get().
  class Reader {
   public:
    explicit Reader(Snapshot const& source) : source_(source) {}

    std::shared_ptr<T const> const& get() {
      auto const version = source_.version_.load(std::memory_order_acquire);
      if (version != seen_ || !cached_) {
        cached_ = source_.load();
        seen_ = version;
      }
      return cached_;
    }

   private:
    Snapshot const& source_;
    std::shared_ptr<T const> cached_;
    std::uint64_t seen_ = 0;
  };

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<T const> current_;
  std::atomic<std::uint64_t> version_{1};
};

}  // namespace kvgate
