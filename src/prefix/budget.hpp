// The memory that the tables of all engines may take together.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace kvgate::prefix {

class CachedBlocks;

/// Shared by the tables of a gate; outlives them. Each may take an equal share. Thread-safe.
class Budget {
 public:
  explicit Budget(std::uint64_t max_bytes) : max_bytes_(max_bytes), share_(max_bytes) {}

  /// Bytes that each table may hold. Falls when a table is attached; the others have shrunk to it when attach()
  /// returns.
  std::uint64_t share() const noexcept { return share_.load(std::memory_order_relaxed); }

  void attach(CachedBlocks& table);
  void detach(CachedBlocks& table);

 private:
  void divide();

  std::uint64_t const max_bytes_;
  std::atomic<std::uint64_t> share_;
  std::mutex mutex_;
  std::vector<CachedBlocks*> tables_;
};

}  // namespace kvgate::prefix
