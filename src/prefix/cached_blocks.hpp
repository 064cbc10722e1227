// Which blocks one engine is believed to have in its prefix cache: a model of its LRU, fed by what is routed there.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "prefix/belief.hpp"
#include "prefix/block_hash.hpp"
#include "prefix/block_table.hpp"
#include "prefix/budget.hpp"
#include "prefix/capacity_estimate.hpp"
#include "prefix/epoch_counts.hpp"

namespace kvgate::prefix {

/// Blocks are forgotten by whole requests, least recently used first, when more are live than the engine is thought to
/// hold, when the budget's share is used up, or after `max_epochs` further requests. A prompt's blocks are known up to
/// a point and unknown after it, always: each was last used no earlier than those that follow it.
///
/// Thread-safe. Lookups take no lock and never wait; all other calls take the engine's own lock for some ns per block.
/// About 14 bytes per block and 16 KiB besides. Must not be destroyed while in use.
class CachedBlocks {
 public:
  struct Stats {
    std::uint64_t live_blocks = 0;
    std::uint64_t bytes = 0;
    std::uint64_t capacity = 0;  // blocks that the engine is thought to hold; 0: no limit known
  };

  static constexpr Epoch max_epochs = Epoch{1} << 20;

  /// `first_epoch` numbers the first touch; tests start where stamps wrap around.
  explicit CachedBlocks(std::shared_ptr<Budget> budget, Epoch first_epoch = 1);
  ~CachedBlocks();
  CachedBlocks(CachedBlocks const&) = delete;
  CachedBlocks& operator=(CachedBlocks const&) = delete;

  /// out[i]: how many leading blocks of the prompt engines[i] is believed to have cached. As many outs as engines.
  static void longest_prefixes(std::span<CachedBlocks const* const> engines, std::span<BlockHash const> prompt,
                               std::span<std::uint32_t> out) noexcept;

  /// A request with these blocks was routed here: they are the most recently used now. What does not fit into the
  /// engine's capacity or the budget is left out at the end.
  Belief touch(std::span<BlockHash const> prompt);

  /// The request of a touch never reached prefill: blocks that only it brought are forgotten, the others are as recent
  /// as they were before. What it pushed out stays forgotten.
  void retract(std::span<BlockHash const> prompt, Belief const& belief);

  /// The engine reported how many leading blocks of a touched prompt it really had. Learns the engine's capacity by the
  /// rule of CapacityEstimate. Two blocks and a sixteenth fewer than believed are taken for rounding.
  void observed(Belief const& belief, std::uint32_t really_cached_blocks);

  /// The engine's own cache size in blocks of ours; 0: not known.
  void set_capacity(std::uint64_t blocks);

  /// The engine restarted and has nothing cached.
  void clear();

  Stats stats() const noexcept;

  /// Gives memory back until no more than the budget's share is held. Waits for readers to pass, some microseconds as a
  /// rule. Called by the budget.
  void shrink_to_share();

 private:
  friend class PrefixSearch;
  class Toucher;

  std::uint64_t moments_ago() const noexcept;
  std::optional<Belief> join_last_use(std::span<BlockHash const> prompt);
  std::uint32_t count_join(Epoch epoch);
  bool others_joined(Belief const& belief) const;

  std::uint32_t cutoff() const noexcept { return cutoff_.load(std::memory_order_acquire); }
  bool insert_by_force(BlockHash block, std::uint32_t stamp);
  void forget_through(Epoch last);
  bool forget_some(std::uint64_t blocks);
  bool forget_excess();
  bool tidy(std::size_t segment);
  bool all_reclaimed();
  std::uint64_t spare_bytes() const noexcept;
  void enforce_limits();
  void pay_for_epochs(std::size_t bytes_before);
  void restore(BlockHash block, Epoch from, Epoch to);
  std::uint64_t bytes_held() const noexcept;
  void publish_stats() noexcept;

  std::shared_ptr<Budget> const budget_;
  std::atomic<std::uint32_t> cutoff_;  // stamp of the oldest live epoch
  BlockTable table_;

  alignas(64) mutable std::mutex mutex_;  // guards what follows, and writing to what stands above
  EpochCounts counts_;
  CapacityEstimate estimate_;
  Epoch cleared_before_;
  /// Which touches joined an epoch lately, by epoch modulo its size.
  struct Joins {
    Epoch epoch = 0;
    std::uint32_t count = 0;
  };
  std::array<Joins, 64> joins_{};

  std::atomic<std::uint64_t> live_blocks_{0}, bytes_{0}, capacity_{0};  // for stats()
};

}  // namespace kvgate::prefix
