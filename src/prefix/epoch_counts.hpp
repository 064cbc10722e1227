// How many live blocks were last touched in which epoch: what an LRU needs to know when it works by whole requests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

namespace kvgate::prefix {

/// Numbers the touches of one engine. Never reused.
using Epoch = std::uint64_t;

/// An epoch as entries store it: its low bits. Zero is left out, it marks an empty entry.
constexpr unsigned stamp_bits = 24;
constexpr std::uint32_t stamp_mask = (1u << stamp_bits) - 1;
constexpr std::uint32_t stamp_of(Epoch epoch) {
  return static_cast<std::uint32_t>(epoch) & stamp_mask;
}

/// Whether an entry with this stamp lives, when `cutoff` is the stamp of the oldest epoch that does. Right as long as
/// live epochs span less than half the range of stamps and dead entries are cleared before the other half has passed.
constexpr bool is_live(std::uint32_t stamp, std::uint32_t cutoff) {
  return stamp != 0 && ((stamp - cutoff) & stamp_mask) < (1u << (stamp_bits - 1));
}

/// Counts of blocks by epoch, from oldest() to newest(). Four bytes per epoch, in pages that exist only while one of
/// their epochs has blocks. Not thread-safe.
class EpochCounts {
 public:
  explicit EpochCounts(Epoch first) : oldest_(first), newest_(first - 1), base_(first - first % page_epochs) {}

  /// Starts the next epoch, from here on newest().
  Epoch open();
  void add(Epoch epoch, std::uint32_t blocks);
  void remove(Epoch epoch, std::uint32_t blocks);
  /// Forgets every epoch up to and with `last`; how many blocks that were.
  std::uint64_t drop_through(Epoch last);

  Epoch oldest() const noexcept { return oldest_; }
  Epoch newest() const noexcept { return newest_; }
  /// The epoch that `stamp` stands for, of those that lie less than the range of stamps back.
  Epoch epoch_of(std::uint32_t stamp) const noexcept { return newest_ - ((newest_ - stamp) & stamp_mask); }
  /// Of the epochs that have blocks the oldest. There must be one.
  Epoch oldest_with_blocks() const;
  /// The last epoch whose count is freed together with that of `epoch`.
  static Epoch last_on_page(Epoch epoch) { return epoch | (page_epochs - 1); }
  std::uint64_t newer_than(Epoch epoch) const;
  std::uint32_t of(Epoch epoch) const;
  std::uint64_t total() const noexcept { return total_; }
  std::size_t bytes() const noexcept { return pages_.size() * sizeof(Page) + allocated_ * sizeof(Counts); }

 private:
  static constexpr std::size_t page_epochs = 256;
  using Counts = std::array<std::uint32_t, page_epochs>;
  struct Page {
    std::unique_ptr<Counts> counts;
    std::uint64_t total = 0;
  };

  Page& page_of(Epoch epoch) { return pages_[(epoch - base_) / page_epochs]; }
  void free_if_empty(Page& page);
  std::uint64_t clear_front(Epoch end);
  void pop_page();

  std::deque<Page> pages_;
  Epoch oldest_;
  Epoch newest_;
  Epoch base_;  // first epoch of the first page
  std::uint64_t total_ = 0;
  std::size_t allocated_ = 0;  // pages that have counts
};

}  // namespace kvgate::prefix
