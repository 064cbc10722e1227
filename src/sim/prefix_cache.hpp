// An LRU cache of prompt blocks, known by their chained hashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>

namespace kvgate::sim {

/// Not thread-safe. Blocks in use by running requests are not pinned: only what is cached is simulated.
class PrefixCache {
 public:
  explicit PrefixCache(std::size_t capacity_blocks) : capacity_(capacity_blocks) {}

  /// How many leading blocks are held; they become the most recently used.
  std::size_t lookup(std::span<std::uint64_t const> hashes);

  /// Adds what is missing and evicts what was used longest ago. Returns how many blocks were new.
  std::size_t insert(std::span<std::uint64_t const> hashes);

  void clear() noexcept;
  std::size_t size() const noexcept { return index_.size(); }

 private:
  using Order = std::list<std::uint64_t>;  // most recently used first

  std::size_t capacity_;
  Order order_;
  std::unordered_map<std::uint64_t, Order::iterator> index_;
};

}  // namespace kvgate::sim
