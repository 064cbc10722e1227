#include "prefix/cached_blocks.hpp"

#include <algorithm>
#include <thread>

namespace kvgate::prefix {
namespace {

constexpr std::uint64_t lines_per_shortage = 64;

/// Depth of a block that a belief has measured: how many live blocks had been used more recently.
std::uint64_t depth_of(Belief const& belief, std::uint32_t block) {
  auto step = belief.step_count - 1u;
  while (belief.steps[step].from > block) --step;
  return belief.steps[step].newer + (block - belief.steps[step].from);
}

}  // namespace

CachedBlocks::CachedBlocks(std::shared_ptr<Budget> budget, Epoch first_epoch)
    : budget_(std::move(budget)), cutoff_(stamp_of(first_epoch)), counts_(first_epoch), cleared_before_(first_epoch) {
  publish_stats();
  budget_->attach(*this);
}

CachedBlocks::~CachedBlocks() {
  budget_->detach(*this);
}

/// Into a full neighbourhood: by a larger segment while memory lasts, then further away, then in place of older blocks.
bool CachedBlocks::insert_by_force(BlockHash block, std::uint32_t stamp) {
  for (;;) {
    auto const growth = table_.grow(block, cutoff(), spare_bytes());
    if (growth == BlockTable::Growth::crowded) return false;
    if (BlockTable::insert(table_.spot_of(block), stamp, cutoff(), BlockTable::far_reach)) return true;
    if (growth == BlockTable::Growth::done) continue;
    if (!forget_some(std::max<std::uint64_t>(counts_.total() / 128, 64))) return false;
    table_.tidy_some(lines_per_shortage, cutoff());  // the memory may be where this block does not belong
  }
}

/// Some of the share stays free, for arrays that exist twice while readers leave the old one.
std::uint64_t CachedBlocks::spare_bytes() const noexcept {
  auto const usable = budget_->share() / 64 * 63;
  auto const held = bytes_held();
  return usable > held ? usable - held : 0;
}

void CachedBlocks::forget_through(Epoch last) {
  counts_.drop_through(last);
  cutoff_.store(stamp_of(counts_.oldest()), std::memory_order_release);
}

/// Forgets at least that many blocks, if there are as many besides the newest request's. False: none.
bool CachedBlocks::forget_some(std::uint64_t blocks) {
  auto const before = counts_.total();
  while (counts_.total() != 0 && before - counts_.total() < blocks) {
    auto const oldest = counts_.oldest_with_blocks();
    if (oldest == counts_.newest()) break;
    forget_through(oldest);
  }
  return counts_.total() != before;
}

void CachedBlocks::enforce_limits() {
  if (counts_.oldest() + max_epochs <= counts_.newest()) forget_through(counts_.newest() - max_epochs);
  auto const limit = estimate_.limit();
  if (counts_.total() > limit) forget_some(counts_.total() - limit);
}

/// Counts of epochs take memory too, and growing tables leave little of the share: a new page of them replaces an old.
void CachedBlocks::pay_for_epochs(std::size_t bytes_before) {
  if (counts_.bytes() <= bytes_before || bytes_held() <= budget_->share()) return;
  if (counts_.total() == 0) return forget_through(counts_.newest());
  auto const page_end = EpochCounts::last_on_page(counts_.oldest_with_blocks());
  if (page_end < counts_.newest()) forget_through(page_end);
}

/// Whether a later touch counts on the same blocks: then they cannot be told apart.
bool CachedBlocks::others_joined(Belief const& belief) const {
  auto const& joins = joins_[belief.epoch % joins_.size()];
  return joins.epoch == belief.epoch && joins.count > belief.joined;
}

void CachedBlocks::retract(std::span<BlockHash const> prompt, Belief const& belief) {
  std::lock_guard lock(mutex_);
  if (belief.epoch < counts_.oldest()) return;  // all of it was forgotten since
  if (others_joined(belief)) return;
  auto const bytes_before = counts_.bytes();
  std::uint32_t step = 0;
  for (std::uint32_t i = 0; i < prompt.size(); ++i) {
    while (step + 1u < belief.step_count && belief.steps[step + 1].from <= i) ++step;
    restore(prompt[i], belief.epoch, i < belief.known ? belief.steps[step].last_use : 0);
  }
  pay_for_epochs(bytes_before);
  publish_stats();
}

/// Only what no later request has touched goes back from one epoch to another, or away if that is over.
void CachedBlocks::restore(BlockHash block, Epoch from, Epoch to) {
  auto const spot = table_.spot_of(block);
  auto* const entry = BlockTable::find(spot);
  if (entry == nullptr || BlockTable::stamp(*entry) != stamp_of(from)) return;
  counts_.remove(from, 1);
  if (to < counts_.oldest()) {
    BlockTable::erase(*entry);
  } else {
    counts_.add(to, 1);
    BlockTable::set_stamp(*entry, spot.word, stamp_of(to));
  }
}

void CachedBlocks::observed(Belief const& belief, std::uint32_t really_cached_blocks) {
  std::lock_guard lock(mutex_);
  if (belief.epoch < cleared_before_) return;
  auto const confirmed = std::min(really_cached_blocks, belief.measured);
  if (confirmed != 0) estimate_.kept(depth_of(belief, confirmed - 1));
  if (really_cached_blocks > belief.known) {
    if (belief.forgotten) estimate_.outlived();
  } else if (belief.known - really_cached_blocks > 2 + belief.known / 16 && really_cached_blocks < belief.measured) {
    estimate_.lost(depth_of(belief, really_cached_blocks), counts_.total());
    enforce_limits();
  }
  publish_stats();
}

void CachedBlocks::set_capacity(std::uint64_t blocks) {
  std::lock_guard lock(mutex_);
  estimate_.configure(blocks);
  enforce_limits();
  publish_stats();
}

void CachedBlocks::clear() {
  std::lock_guard lock(mutex_);
  forget_through(counts_.newest());
  cleared_before_ = counts_.oldest();
  estimate_.forget();
  table_.clear();
  publish_stats();
}

void CachedBlocks::shrink_to_share() {
  while (forget_excess()) {
    // One segment at a time, so that no request waits for all of them.
    for (std::size_t i = 0; i < BlockTable::segment_count;) {
      if (tidy(i)) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
    while (!all_reclaimed()) std::this_thread::yield();
  }
}

bool CachedBlocks::tidy(std::size_t segment) {
  std::lock_guard lock(mutex_);
  return table_.tidy(segment, cutoff(), true);
}

bool CachedBlocks::all_reclaimed() {
  std::lock_guard lock(mutex_);
  bool const all = table_.reclaim();
  publish_stats();
  return all;
}

/// Forgets as many blocks as use what is held beyond the share, and some, since tables do not shrink in proportion.
bool CachedBlocks::forget_excess() {
  std::lock_guard lock(mutex_);
  auto const live = counts_.total();
  auto const kept = static_cast<double>(budget_->share()) / static_cast<double>(bytes_held());
  if (kept >= 1 || live == 0) return false;
  auto const excess = static_cast<std::uint64_t>(static_cast<double>(live) * (1 - kept)) + live / 32 + 1;
  if (!forget_some(excess)) forget_through(counts_.newest());
  return true;
}

std::uint64_t CachedBlocks::bytes_held() const noexcept {
  return sizeof(*this) + table_.bytes() + counts_.bytes();
}

void CachedBlocks::publish_stats() noexcept {
  auto const limit = estimate_.limit();
  live_blocks_.store(counts_.total(), std::memory_order_relaxed);
  bytes_.store(bytes_held(), std::memory_order_relaxed);
  capacity_.store(limit == CapacityEstimate::unlimited ? 0 : limit, std::memory_order_relaxed);
}

CachedBlocks::Stats CachedBlocks::stats() const noexcept {
  return {live_blocks_.load(std::memory_order_relaxed), bytes_.load(std::memory_order_relaxed),
          capacity_.load(std::memory_order_relaxed)};
}

}  // namespace kvgate::prefix
