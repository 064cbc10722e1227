// How many of our blocks an engine's cache holds: told by the engine, corrected by what it reports of requests.
#pragma once

#include <cstdint>

namespace kvgate::prefix {

/// A depth is a number of live blocks: those used more recently than the block in question. An LRU cache that holds a
/// block has more room than its depth; one that lost it has not.
///
/// The rule: a block that the engine lost lowers the limit by an eighth of the way to its depth, so that one odd report
/// does little and twenty agreeing ones do nearly all. A block that it kept confirms its depth: losses at lesser depth
/// cannot be evictions (two requests in flight at once, another router's traffic) and only wear the confirmation down
/// by a sixteenth. A block kept though we had given it up raises the limit by a 32nd, up to what the engine told.
/// Never below an eighth of what it told, or 256 blocks when it told nothing. Not thread-safe.
class CapacityEstimate {
 public:
  static constexpr std::uint64_t unlimited = ~std::uint64_t{0};

  /// What the engine told, in our blocks; 0: nothing. What was learned under another value is void; less than a
  /// sixteenth of difference is none.
  void configure(std::uint64_t blocks) noexcept;
  /// A new engine process: forgets what was learned, keeps what was told.
  void forget() noexcept { learned_ = unlimited, confirmed_ = 0; }

  /// Most blocks that are believed to be cached together.
  std::uint64_t limit() const noexcept { return learned_ < told_ ? learned_ : told_; }

  /// The engine had lost a block of this depth; `live` are believed to be cached now.
  void lost(std::uint64_t depth, std::uint64_t live) noexcept;
  void kept(std::uint64_t depth) noexcept;
  /// The engine had kept a block that the limit had made us forget.
  void outlived() noexcept;

 private:
  std::uint64_t least() const noexcept;

  std::uint64_t told_ = unlimited;
  std::uint64_t learned_ = unlimited;
  std::uint64_t confirmed_ = 0;
};

}  // namespace kvgate::prefix
