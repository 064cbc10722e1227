#include "prefix/block_table.hpp"

#include <algorithm>
#include <new>

#include "prefix/read_section.hpp"

namespace kvgate::prefix {
namespace {

constexpr std::uint64_t max_lines = 0xffff;  // what fits beside an address

static_assert(sizeof(void*) == 8, "a segment is an address and a length in one word");

constexpr std::uint64_t capacity_of(std::uint64_t lines) {
  return lines * BlockLine::size;
}
constexpr std::uint64_t lines_for(std::uint64_t live) {
  return live * 3 / (BlockLine::size * 2) + 1;
}

}  // namespace

BlockTable::~BlockTable() {
  for (std::size_t i = 0; i < segment_count; ++i) delete[] load(i).lines;
  for (auto const& old : retired_) delete[] old.segment.lines;
}

bool BlockTable::holds(Spot const& spot, std::uint32_t cutoff) noexcept {
  auto const* const entry = find(spot);
  if (entry == nullptr) return false;
  // Read again: it may have become another block's.
  auto const word = entry->load(std::memory_order_acquire);
  return same_block(word, spot.word) && is_live(stamp_of(word), cutoff);
}

bool BlockTable::insert(Spot const& spot, std::uint32_t stamp, std::uint32_t cutoff, std::uint32_t reach) noexcept {
  auto* line = spot.home;  // null if there are no lines
  auto const lines = std::min<std::ptrdiff_t>(reach + 1, spot.end - spot.begin);
  for (std::uint32_t distance = 0; distance < lines; ++distance) {
    if (line->insert(spot.word | stamp, cutoff)) {
      if (distance > spot.home->reach()) spot.home->set_reach(distance);
      return true;
    }
    line = spot.next(line);
  }
  return false;
}

std::uint64_t BlockTable::count_live(Segment segment, std::uint32_t cutoff) noexcept {
  std::uint64_t live = 0;
  for (auto& line : segment) {
    for (auto const& entry : line.entries()) live += is_live(stamp(entry), cutoff);
  }
  return live;
}

bool BlockTable::copy_live(Segment from, Segment to, std::uint32_t cutoff) noexcept {
  for (auto& line : from) {
    for (auto const& entry : line.entries()) {
      auto const last_use = stamp(entry);
      if (!is_live(last_use, cutoff)) continue;
      auto const word = entry.load(std::memory_order_relaxed) - last_use;
      if (!insert(spot_in(to, word), last_use, cutoff, far_reach)) return false;
    }
  }
  return true;
}

bool BlockTable::resize(std::size_t index, std::uint64_t lines, std::uint32_t cutoff) noexcept {
  if (lines > max_lines) return false;
  Segment const next{new (std::nothrow) BlockLine[lines], static_cast<std::uint32_t>(lines)};
  if (next.lines == nullptr) return false;
  if (!copy_live(load(index), next, cutoff)) {
    delete[] next.lines;
    return false;
  }
  bytes_ += lines * sizeof(BlockLine);
  replace(index, next);
  reclaim();
  return true;
}

void BlockTable::replace(std::size_t index, Segment next) noexcept {
  auto const old = load(index);
  segments_[index].store(reinterpret_cast<std::uint64_t>(next.lines) | std::uint64_t{next.count} << address_bits);
  if (old.lines != nullptr) retired_.push_back({old, retirement_mark()});
}

BlockTable::Growth BlockTable::grow(BlockHash block, std::uint32_t cutoff, std::size_t spare_bytes) noexcept {
  auto const index = segment_of(block);
  auto const segment = load(index);
  if (count_live(segment, cutoff) * 3 < capacity_of(segment.count)) return Growth::crowded;
  // A quarter more at a time, so that the table is two thirds full on average.
  for (std::uint64_t lines = segment.count; lines <= std::uint64_t{segment.count} * 2;) {
    lines += lines / 4 + 1;
    if (lines * sizeof(BlockLine) > spare_bytes) break;
    if (resize(index, lines, cutoff)) return Growth::done;
  }
  return Growth::no_memory;
}

bool BlockTable::tidy(std::size_t index, std::uint32_t cutoff, bool tight) noexcept {
  if (!reclaim()) return false;
  auto const segment = load(index);
  std::uint64_t live = 0, reach = 0;
  for (auto& line : segment) {
    live += line.erase_dead(cutoff);
    reach += line.reach();
  }
  auto const wanted = lines_for(live);
  bool const sparse = live * 5 < capacity_of(segment.count) * 2;
  if (live == 0) {
    replace(index, {});
  } else if (wanted < segment.count && (tight || sparse)) {
    resize(index, wanted, cutoff);
  } else if (reach > segment.count) {  // pushed far by entries that are dead by now
    resize(index, segment.count, cutoff);
  }
  reclaim();
  return true;
}

void BlockTable::tidy_some(std::uint64_t lines, std::uint32_t cutoff) noexcept {
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < segment_count && seen < lines; ++i) {
    seen += load(next_to_tidy_).count;
    if (!tidy(next_to_tidy_, cutoff, false)) return;
    next_to_tidy_ = (next_to_tidy_ + 1) % segment_count;
  }
}

void BlockTable::clear() noexcept {
  for (std::size_t i = 0; i < segment_count; ++i) replace(i, {});
  reclaim();
}

bool BlockTable::reclaim() noexcept {
  if (retired_.empty()) return true;
  auto const passed = [this](Retired const& old) {
    if (!all_readers_passed(old.mark)) return false;
    bytes_ -= old.segment.count * sizeof(BlockLine);
    delete[] old.segment.lines;
    return true;
  };
  retired_.erase(std::remove_if(retired_.begin(), retired_.end(), passed), retired_.end());
  return retired_.empty();
}

}  // namespace kvgate::prefix
