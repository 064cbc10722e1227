#include "text/bpe/short_merge.hpp"

namespace kvgate::text::bpe {
namespace {

using Bits = std::uint64_t;

constexpr Bits bit(unsigned at) noexcept { return Bits{1} << at; }
constexpr Bits bits_above(unsigned at) noexcept { return ~Bits{1} << at; }
constexpr Bits bits_below(unsigned at) noexcept { return bit(at) - 1; }
constexpr unsigned lowest(Bits bits) noexcept { return static_cast<unsigned>(std::countr_zero(bits)); }
constexpr unsigned highest(Bits bits) noexcept { return static_cast<unsigned>(63 - std::countl_zero(bits)); }

}  // namespace

void ShortMerge::start(PairTable const& pairs, std::size_t count) noexcept {
  count_ = count;
  alive_ = ~Bits{0} >> (kSymbols - count);
  merged_ = before_ = after_ = 0;
  found_[count - 1] = kNothing;
  for (unsigned i = 0; i + 1 < count; ++i) {
    Rank rank;
    if (!pairs.first_rank(ids_[i], ids_[i + 1], rank)) return look_up_all(pairs);
    found_[i] = found(rank, i);
  }
}

void ShortMerge::look_up_all(PairTable const& pairs) noexcept {
  std::array<std::uint32_t, kSymbols> places;
  for (unsigned i = 0; i + 1 < count_; ++i) places[i] = pairs.place(ids_[i], ids_[i + 1]);
  for (unsigned i = 0; i + 1 < count_; ++i) found_[i] = found(pairs.read(places[i], ids_[i], ids_[i + 1]), i);
}

void ShortMerge::look_up_waiting(PairTable const& pairs) noexcept {
  if (after_ != merged_) found_[merged_] = found(pairs.read(place_after_, ids_[merged_], ids_[after_]), merged_);
  if (before_ != merged_) found_[before_] = found(pairs.read(place_before_, ids_[before_], ids_[merged_]), before_);
}

ShortMerge::Found ShortMerge::least() const noexcept {
  // One by one: four at a time would have to wait until what was just written has left the store buffer.
  auto even = found_[0], odd = kNothing;
  for (std::size_t i = 1; i + 1 < count_; i += 2) {
    odd = std::min(odd, found_[i]);
    even = std::min(even, found_[i + 1]);
  }
  return std::min(even, odd);
}

bool ShortMerge::step(PairTable const& pairs) noexcept {
  look_up_waiting(pairs);
  auto const best = least();
  if (best >= kNothing) {
    finish();
    return false;
  }
  take(pairs, best);
  return true;
}

void ShortMerge::take(PairTable const& pairs, Found best) noexcept {
  auto const at = static_cast<unsigned>(best % kSymbols);
  auto const gone = lowest(alive_ & bits_above(at));
  ids_[at] = pairs.merged(best >> kPositionBits);
  alive_ &= ~bit(gone);
  found_[at] = found_[gone] = kNothing;
  auto const later = alive_ & bits_above(at);
  auto const earlier = alive_ & bits_below(at);
  merged_ = static_cast<std::uint8_t>(at);
  after_ = static_cast<std::uint8_t>(later ? lowest(later) : at);
  before_ = static_cast<std::uint8_t>(earlier ? highest(earlier) : at);
  place_after_ = pairs.place(ids_[at], ids_[after_]);
  place_before_ = pairs.place(ids_[before_], ids_[at]);
}

void ShortMerge::finish() noexcept {
  count_ = 0;
  for (auto left = alive_; left != 0; left &= left - 1) ids_[count_++] = ids_[lowest(left)];
}

void merge_all(PairTable const& pairs, std::span<ShortMerge> words) noexcept {
  ShortMerge* busy[64];
  std::size_t count = 0;
  for (auto& word : words) busy[count++] = &word;
  while (count > 0) {
    for (std::size_t i = 0; i < count;) {
      if (busy[i]->step(pairs))
        ++i;
      else
        busy[i] = busy[--count];
    }
  }
}

}  // namespace kvgate::text::bpe
