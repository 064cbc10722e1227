#include "prefix/cached_blocks.hpp"

#include <algorithm>
#include <limits>
#include <thread>

namespace kvgate::prefix {
namespace {

constexpr std::uint64_t lines_per_shortage = 64;
constexpr std::uint64_t bytes_per_block = 16;
constexpr std::uint64_t exact_below = 8192;  // blocks: a small cache is modelled use by use
constexpr Epoch epochs_per_tidying = 32;  // every segment within 65,536 touches, long before stamps wrap around

/// Depth of a block that a belief has measured: how many live blocks had been used more recently.
std::uint64_t depth_of(Belief const& belief, std::uint32_t block) {
  auto step = belief.step_count - 1u;
  while (belief.steps[step].from > block) --step;
  return belief.steps[step].newer + (block - belief.steps[step].from);
}

}  // namespace

/// Touches one block after the other. Counts of equal epochs are summed up first, since most blocks of a prompt share
/// their last use.
class CachedBlocks::Toucher {
 public:
  Toucher(CachedBlocks& table, Epoch epoch) : table_(table), cutoff_(table.cutoff()), stamp_(stamp_of(epoch)) {
    belief_.epoch = epoch;
  }

  /// Stops where there is no room.
  void touch(std::span<BlockHash const> prompt) {
    refill(prompt, 0);
    auto const size = static_cast<std::uint32_t>(prompt.size());
    for (std::uint32_t i = follow_run(prompt, 0); i < size; i = follow_run(prompt, i + 1)) {
      if (touch(spots_[i % spots_.size()], i)) {
        look_ahead(prompt, i);
        continue;
      }
      flush();  // counts must be right for what follows
      if (!table_.insert_by_force(prompt[i], stamp_)) return;
      cutoff_ = table_.cutoff();
      ++fresh_;
      refill(prompt, i + 1);
    }
  }

  Belief finish() {
    flush();
    return belief_;
  }

 private:
  void refill(std::span<BlockHash const> prompt, std::size_t from) {
    auto const end = std::min(prompt.size(), from + spots_.size());
    for (auto i = from; i < end; ++i) spots_[i % spots_.size()] = table_.table_.prefetch(prompt[i]);
  }
  void look_ahead(std::span<BlockHash const> prompt, std::size_t from) {
    if (from + spots_.size() >= prompt.size()) return;
    spots_[from % spots_.size()] = table_.table_.prefetch(prompt[from + spots_.size()]);
    BlockTable::prefetch_further(spots_[(from + spots_.size() / 2) % spots_.size()]);
  }

  /// Most blocks were last used together with the one before: those from `index` on for which that holds. The index
  /// of the first that is something else.
  std::uint32_t follow_run(std::span<BlockHash const> prompt, std::uint32_t index) {
    auto const size = static_cast<std::uint32_t>(prompt.size());
    auto const run_stamp = run_stamp_, stamp = stamp_;
    if (run_stamp == 0) return index;
    auto at = index;
    for (; at < size; ++at) {
      auto const& spot = spots_[at % spots_.size()];
      auto* const entry = BlockTable::find(spot);
      if (entry == nullptr || BlockTable::stamp(*entry) != run_stamp) break;
      BlockTable::set_stamp(*entry, spot.word, stamp);
      look_ahead(prompt, at);
    }
    count_run(index, at - index);
    return at;
  }

  /// False when there is no place for it.
  bool touch(BlockTable::Spot const& spot, std::uint32_t index) {
    auto* const entry = BlockTable::find(spot);
    auto const last_use = entry != nullptr ? BlockTable::stamp(*entry) : 0;
    if (is_live(last_use, cutoff_)) {
      moved(last_use, index);
      BlockTable::set_stamp(*entry, spot.word, stamp_);
      return true;
    }
    if (run_stamp_ != 0) end_run();
    if (belief_.known == index) belief_.forgotten = last_use != 0;
    if (entry != nullptr) {
      BlockTable::set_stamp(*entry, spot.word, stamp_);
    } else if (!BlockTable::insert(spot, stamp_, cutoff_)) {
      return false;
    }
    ++fresh_;
    return true;
  }

  void moved(std::uint32_t stamp, std::uint32_t index) {
    if (stamp != run_stamp_) {
      end_run();
      run_stamp_ = stamp;
      if (belief_.known == index) begin_step(index);
    }
    count_run(index, 1);
  }

  void end_run() {
    flush();
    run_stamp_ = 0;
  }

  void count_run(std::uint32_t index, std::uint32_t blocks) {
    run_ += blocks;
    if (belief_.known != index) return;
    belief_.known += blocks;
    if (belief_.measured == index && measuring_) belief_.measured += blocks;
  }

  void begin_step(std::uint32_t index) {
    measuring_ = belief_.step_count < belief_.steps.size();
    if (!measuring_) return;
    auto const epoch = table_.counts_.epoch_of(run_stamp_);
    belief_.steps[belief_.step_count++] = {index, epoch, table_.counts_.newer_than(epoch)};
  }

  void flush() {
    if (run_ != 0) table_.counts_.remove(table_.counts_.epoch_of(run_stamp_), run_);
    table_.counts_.add(belief_.epoch, run_ + fresh_);
    run_ = fresh_ = 0;
  }

  CachedBlocks& table_;
  std::uint32_t cutoff_;
  std::uint32_t const stamp_;
  Belief belief_;
  std::uint32_t run_stamp_ = 0;  // last use of the blocks counted by run_; 0: the last block was not live
  std::uint32_t run_ = 0;
  std::uint32_t fresh_ = 0;
  bool measuring_ = false;
  /// By index modulo its size, which is about as many cache misses as a core has under way at once.
  std::array<BlockTable::Spot, 16> spots_;
};

CachedBlocks::CachedBlocks(std::shared_ptr<Budget> budget, Epoch first_epoch)
    : budget_(std::move(budget)), cutoff_(stamp_of(first_epoch)), counts_(first_epoch), cleared_before_(first_epoch) {
  publish_stats();
  budget_->attach(*this);
}

CachedBlocks::~CachedBlocks() {
  budget_->detach(*this);
}

/// How many leading blocks of the prompt are live.
std::uint32_t CachedBlocks::known_of(std::span<BlockHash const> prompt) const noexcept {
  auto const held = [&](std::size_t i) { return BlockTable::holds(table_.spot_of(prompt[i]), cutoff()); };
  if (prompt.empty() || !held(0)) return 0;
  auto low = std::size_t{1}, high = prompt.size();   // `low` blocks are known, more than `high` are not
  if (held(high - 1)) return static_cast<std::uint32_t>(high);
  for (--high; low < high;) {
    auto const middle = (low + high) / 2;
    if (held(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return static_cast<std::uint32_t>(low);
}

/// Blocks used so little before that it makes no difference to what is forgotten first.
std::uint64_t CachedBlocks::moments_ago() const noexcept {
  auto const limit = std::min<std::uint64_t>(estimate_.limit(), budget_->share() / bytes_per_block);
  return limit < exact_below ? 0 : limit / 16;
}

/// Stamping every block of a prompt is most of what a touch costs. When what is known of it was used moments ago, that
/// stays as it is, and what is new joins that use. No block gets younger than the one before it.
std::optional<Belief> CachedBlocks::join_last_use(std::span<BlockHash const> prompt) {
  auto const moments = moments_ago();
  auto const known = moments == 0 ? 0 : known_of(prompt);
  if (known == 0) return std::nullopt;
  auto* const entry = BlockTable::find(table_.spot_of(prompt[known - 1]));
  auto const epoch = counts_.epoch_of(BlockTable::stamp(*entry));
  auto const newer = counts_.newer_than(epoch);
  // What joins makes that use larger, and it is forgotten as a whole.
  if (newer + counts_.of(epoch) + (prompt.size() - known) > moments) return std::nullopt;
  Belief belief;
  if (known < prompt.size()) {
    Toucher toucher(*this, epoch);
    toucher.touch(prompt.subspan(known));
    belief.forgotten = toucher.finish().forgotten;
  }
  belief.epoch = epoch;
  belief.joined = count_join(epoch);
  belief.known = belief.measured = known;
  belief.steps[belief.step_count++] = {0, epoch, newer};
  return belief;
}

std::uint32_t CachedBlocks::count_join(Epoch epoch) {
  auto& joins = joins_[epoch % joins_.size()];
  if (joins.epoch != epoch) joins = {epoch, 0};
  return ++joins.count;
}

/// Whether a later touch counts on the same blocks: then they cannot be told apart.
bool CachedBlocks::others_joined(Belief const& belief) const {
  auto const& joins = joins_[belief.epoch % joins_.size()];
  return joins.epoch == belief.epoch && joins.count > belief.joined;
}

Belief CachedBlocks::touch(std::span<BlockHash const> prompt) {
  std::lock_guard lock(mutex_);
  auto const limit = std::min<std::uint64_t>(estimate_.limit(), std::numeric_limits<std::uint32_t>::max());
  if (auto const joined = join_last_use(prompt.first(std::min<std::uint64_t>(prompt.size(), limit)))) {
    enforce_limits();
    publish_stats();
    return *joined;
  }
  auto const bytes_before = counts_.bytes();
  Toucher toucher(*this, counts_.open());
  toucher.touch(prompt.first(std::min<std::uint64_t>(prompt.size(), limit)));
  auto const belief = toucher.finish();
  pay_for_epochs(bytes_before);
  enforce_limits();
  if (belief.epoch % epochs_per_tidying == 0) table_.tidy_some(1, cutoff());
  publish_stats();
  return belief;
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
