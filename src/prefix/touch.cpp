// CachedBlocks::touch(): what each routed request does to the model of its engine's cache.
#include <algorithm>
#include <limits>

#include "prefix/cached_blocks.hpp"

namespace kvgate::prefix {
namespace {

constexpr std::uint64_t bytes_per_block = 16;
constexpr std::uint64_t exact_below = 8192;  // blocks: a small cache is modelled use by use
constexpr Epoch epochs_per_tidying = 32;  // every segment within 65,536 touches, long before stamps wrap around

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

/// Blocks used so little before that it makes no difference to what is forgotten first.
std::uint64_t CachedBlocks::moments_ago() const noexcept {
  auto const limit = std::min<std::uint64_t>(estimate_.limit(), budget_->share() / bytes_per_block);
  return limit < exact_below ? 0 : limit / 16;
}

/// Stamping every block of a prompt is most of what a touch costs. When what is known of it was used moments ago, that
/// stays as it is, and what is new joins that use. No block gets younger than the one before it.
std::optional<Belief> CachedBlocks::join_last_use(std::span<BlockHash const> prompt) {
  auto const moments = moments_ago();
  if (moments == 0) return std::nullopt;
  CachedBlocks const* const self[] = {this};
  std::uint32_t known = 0;
  longest_prefixes(self, prompt, std::span(&known, 1));
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

}  // namespace kvgate::prefix
