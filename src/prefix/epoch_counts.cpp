#include "prefix/epoch_counts.hpp"

#include <algorithm>
#include <numeric>

namespace kvgate::prefix {

Epoch EpochCounts::open() {
  ++newest_;
  if (stamp_of(newest_) == 0) ++newest_;
  while ((newest_ - base_) / page_epochs >= pages_.size()) {
    pages_.emplace_back();
    if (pages_.size() > 1) free_if_empty(pages_[pages_.size() - 2]);
  }
  return newest_;
}

void EpochCounts::add(Epoch epoch, std::uint32_t blocks) {
  if (blocks == 0) return;
  auto& page = page_of(epoch);
  if (!page.counts) {
    page.counts = std::make_unique<Counts>();
    ++allocated_;
  }
  (*page.counts)[epoch % page_epochs] += blocks;
  page.total += blocks;
  total_ += blocks;
}

void EpochCounts::remove(Epoch epoch, std::uint32_t blocks) {
  if (blocks == 0) return;
  auto& page = page_of(epoch);
  (*page.counts)[epoch % page_epochs] -= blocks;
  page.total -= blocks;
  total_ -= blocks;
  free_if_empty(page);
}

void EpochCounts::free_if_empty(Page& page) {
  if (page.total != 0 || !page.counts || &page == &pages_.back()) return;
  page.counts.reset();
  --allocated_;
}

std::uint64_t EpochCounts::drop_through(Epoch last) {
  auto const before = total_;
  while (oldest_ <= last) {
    auto const end = std::min(last + 1, base_ + page_epochs);
    total_ -= clear_front(end);
    oldest_ = end;
    if (end == base_ + page_epochs) pop_page();
  }
  return before - total_;
}

std::uint64_t EpochCounts::clear_front(Epoch end) {
  auto& page = pages_.front();
  if (page.total == 0) return 0;
  auto const from = page.counts->begin() + static_cast<std::ptrdiff_t>(oldest_ - base_);
  auto const to = page.counts->begin() + static_cast<std::ptrdiff_t>(end - base_);
  auto const dropped = std::accumulate(from, to, std::uint64_t{0});
  std::fill(from, to, 0);
  page.total -= dropped;
  free_if_empty(page);
  return dropped;
}

void EpochCounts::pop_page() {
  if (pages_.front().counts) --allocated_;
  pages_.pop_front();
  base_ += page_epochs;
}

Epoch EpochCounts::oldest_with_blocks() const {
  auto const page = std::find_if(pages_.begin(), pages_.end(), [](Page const& p) { return p.total != 0; });
  auto const count = std::find_if(page->counts->begin(), page->counts->end(), [](auto n) { return n != 0; });
  return base_ + static_cast<Epoch>(page - pages_.begin()) * page_epochs +
         static_cast<Epoch>(count - page->counts->begin());
}

std::uint64_t EpochCounts::newer_than(Epoch epoch) const {
  auto const home = (epoch - base_) / page_epochs;
  std::uint64_t sum = 0;
  for (auto i = home + 1; i < pages_.size(); ++i) sum += pages_[i].total;
  auto const& page = pages_[home];
  if (page.counts) {
    auto const after = page.counts->begin() + static_cast<std::ptrdiff_t>(epoch % page_epochs + 1);
    sum = std::accumulate(after, page.counts->end(), sum);
  }
  return sum;
}

std::uint32_t EpochCounts::of(Epoch epoch) const {
  auto const& page = pages_[(epoch - base_) / page_epochs];
  return page.counts ? (*page.counts)[epoch % page_epochs] : 0;
}

}  // namespace kvgate::prefix
