// limits.memory: what all buffered request bodies and parser scratch may take together.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace kvgate::proxy {

/// Thread-safe.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t limit) : limit_(limit) {}

  bool take(std::uint64_t bytes) noexcept {
    if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit_) return true;
    give_back(bytes);
    return false;
  }
  void give_back(std::uint64_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  std::uint64_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
  std::uint64_t limit() const noexcept { return limit_; }

 private:
  std::uint64_t const limit_;
  std::atomic<std::uint64_t> used_{0};
};

/// What one connection has taken; given back when it goes.
class MemoryShare {
 public:
  explicit MemoryShare(MemoryBudget& budget) : budget_(budget) {}
  MemoryShare(MemoryShare const&) = delete;
  MemoryShare& operator=(MemoryShare const&) = delete;
  ~MemoryShare() { release(); }

  /// Raises the share to `bytes`; false when the budget does not have it.
  bool grow_to(std::uint64_t bytes) noexcept {
    if (bytes <= taken_) return true;
    if (!budget_.take(bytes - taken_)) return false;
    taken_ = bytes;
    return true;
  }
  std::uint64_t taken() const noexcept { return taken_; }
  void release() noexcept { budget_.give_back(std::exchange(taken_, 0)); }

 private:
  MemoryBudget& budget_;
  std::uint64_t taken_ = 0;
};

}  // namespace kvgate::proxy
