// Token ids of texts seen before: what earlier turns of a conversation cost is not paid again.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kvgate::text {

/// Keeps the most recently used texts. The key is the text itself: a hash finds it, its bytes are compared. Thread-safe.
class SegmentCache {
 public:
  struct Stats {
    std::uint64_t hits = 0, misses = 0;              ///< texts
    std::uint64_t hit_bytes = 0, missed_bytes = 0;   ///< of these texts
    std::uint64_t bytes = 0;                         ///< held now
  };

  /// Shorter texts are made into tokens sooner than found.
  static constexpr std::size_t kMinText = 96;

  /// Holds no more than about `max_bytes`, its own upkeep included; 0: nothing.
  explicit SegmentCache(std::size_t max_bytes);
  ~SegmentCache();
  SegmentCache(SegmentCache const&) = delete;
  SegmentCache& operator=(SegmentCache const&) = delete;

  /// Appends the ids that put() was given for this text under this owner. False: not known.
  bool find(std::uint64_t owner, std::string_view text, std::vector<std::uint32_t>& out);
  /// Texts that are too long for their share of the memory are not kept.
  void put(std::uint64_t owner, std::string_view text, std::span<std::uint32_t const> ids);

  Stats stats() const;

 private:
  struct Shard;
  static constexpr std::size_t kShards = 16;

  Shard& shard_of(std::uint64_t hash) const;

  std::size_t const share_;   // of each shard, bytes
  std::unique_ptr<std::array<Shard, kShards>> shards_;
};

}  // namespace kvgate::text
