// Hash table from a block to the epoch of its last touch, read without locks.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "prefix/block_line.hpp"

namespace kvgate::prefix {

/// The top bits of a block's hash choose one of many small segments, each an array of lines that is replaced as a whole
/// when it fills up or empties, so that no step takes long and the load stays even.
///
/// Two blocks are taken for one when 40 bits of their hashes and their segments agree: with a million blocks in the
/// table, a look-up of a block that is not there finds one with probability 5e-10.
///
/// Readers (spot_of, the prefetches, holds; inside a ReadSection) run at any time on any thread; all else needs the
/// caller's lock.
/// `cutoff` is the stamp of the oldest epoch that lives: entries before it are dead, and their places are free.
class BlockTable {
 public:
  static constexpr std::size_t segment_count = 2048;
  static constexpr std::uint32_t near_reach = 4;
  static constexpr std::uint32_t far_reach = 15;

  /// Where a block belongs. Stale once its segment grows or is tidied. `home` is null while the segment is empty.
  /// Not initialised by itself: lookups keep arrays of them.
  struct Spot {
    BlockLine* home;
    BlockLine* begin;  // of its segment
    BlockLine* end;
    std::uint64_t word;

    BlockLine* next(BlockLine* line) const noexcept { return line + 1 == end ? begin : line + 1; }
  };
  enum class Growth : std::uint8_t { done, no_memory, crowded };

  BlockTable() = default;
  ~BlockTable();
  BlockTable(BlockTable const&) = delete;
  BlockTable& operator=(BlockTable const&) = delete;

  Spot spot_of(BlockHash block) const noexcept { return spot_in(load(segment_of(block)), word_of(block)); }
  /// Starts loading the line of a block.
  Spot prefetch(BlockHash block) const noexcept {
    auto const spot = spot_of(block);
    __builtin_prefetch(spot.home);
    return spot;
  }

  /// Once that line is there: starts loading the next if the block must be looked for there.
  static void prefetch_further(Spot const& spot) noexcept {
    if (spot.home != nullptr && spot.home->must_be_further(spot.word)) __builtin_prefetch(spot.next(spot.home));
  }

  /// The block's entry, dead or alive, or null.
  static Entry* find(Spot const& spot) noexcept {
    if (spot.home == nullptr) return nullptr;
    if (auto* const entry = spot.home->find(spot.word)) return entry;
    auto* line = spot.home;
    for (auto reach = line->reach(); reach > 0; --reach) {
      line = spot.next(line);
      if (auto* const entry = line->find(spot.word)) return entry;
    }
    return nullptr;
  }

  /// Whether it has a live entry; for readers.
  static bool holds(Spot const& spot, std::uint32_t cutoff) noexcept;

  static std::uint32_t stamp(Entry const& entry) noexcept { return stamp_of(entry.load(std::memory_order_relaxed)); }
  static void set_stamp(Entry& entry, std::uint64_t word, std::uint32_t stamp) noexcept {
    entry.store(word | stamp, std::memory_order_release);
  }
  static void erase(Entry& entry) noexcept { entry.store(0, std::memory_order_release); }

  /// Adds a block that find() does not find, no further than `reach` lines from home. False when those are full:
  /// grow() may help, or a longer reach, which makes look-ups slower.
  static bool insert(Spot const& spot, std::uint32_t stamp, std::uint32_t cutoff,
                     std::uint32_t reach = near_reach) noexcept;

  /// Enlarges the segment of a block whose neighbourhood is full, within `spare_bytes`. `crowded`: that would not help,
  /// because too many blocks have hashes that agree where they should not.
  Growth grow(BlockHash block, std::uint32_t cutoff, std::size_t spare_bytes) noexcept;
  /// Clears dead entries of one segment and makes it smaller when little is left; as small as it gets when `tight`.
  /// False: not done, since an array that was replaced before waits for readers. They take microseconds to pass.
  bool tidy(std::size_t segment, std::uint32_t cutoff, bool tight) noexcept;
  /// Tidies further segments in turn until that many lines were looked at.
  void tidy_some(std::uint64_t lines, std::uint32_t cutoff) noexcept;
  void clear() noexcept;
  /// Frees replaced arrays that no reader can see any more. Whether that was all.
  bool reclaim() noexcept;

  /// Of all arrays, also those that wait for readers.
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  struct Segment {
    BlockLine* lines = nullptr;
    std::uint32_t count = 0;

    BlockLine* begin() const noexcept { return lines; }
    BlockLine* end() const noexcept { return lines + count; }
  };
  struct Retired {
    Segment segment;
    std::uint64_t mark;
  };

  static constexpr unsigned address_bits = 48;

  static constexpr std::size_t segment_of(BlockHash block) { return block / (~BlockHash{0} / segment_count + 1); }
  static Spot spot_in(Segment segment, std::uint64_t word) noexcept {
    return {segment.lines + home_line(word, segment.count), segment.begin(), segment.end(), word};
  }
  static std::uint64_t count_live(Segment segment, std::uint32_t cutoff) noexcept;
  static bool copy_live(Segment from, Segment to, std::uint32_t cutoff) noexcept;
  bool resize(std::size_t index, std::uint64_t lines, std::uint32_t cutoff) noexcept;
  void replace(std::size_t index, Segment next) noexcept;

  // Sequentially consistent (see ReadSection), which a load gets for nothing on x86.
  Segment load(std::size_t index) const noexcept {
    auto const word = segments_[index].load();
    auto const address = word & ((std::uint64_t{1} << address_bits) - 1);
    return {reinterpret_cast<BlockLine*>(address), static_cast<std::uint32_t>(word >> address_bits)};
  }

  std::array<std::atomic<std::uint64_t>, segment_count> segments_{};  // address and, in the top 16 bits, lines
  std::vector<Retired> retired_;
  std::size_t bytes_ = 0;
  std::size_t next_to_tidy_ = 0;
};

}  // namespace kvgate::prefix
