#include "text/bpe/pair_table.hpp"

#include <algorithm>
#include <numeric>

namespace kvgate::text::bpe {
namespace {

using Ranks = std::vector<Rank>;

/// The id that each merge makes and its number among the merges in a row that make it; nullopt if that is no order.
std::optional<Ranks> ranks_by_id(std::span<Merge const> merges, unsigned twin_bits) {
  Ranks out;
  out.reserve(merges.size());
  Rank twin = 0;
  for (std::size_t i = 0; i < merges.size(); ++i) {
    auto const id = merges[i].merged;
    auto const before = i == 0 ? id : merges[i - 1].merged;
    twin = i > 0 && id == before ? twin + 1 : 0;
    if (id < before || twin >> twin_bits != 0) return std::nullopt;
    out.push_back(id << twin_bits | twin);
  }
  return out;
}

Ranks ranks_by_index(std::size_t merges) {
  Ranks out(merges);
  std::iota(out.begin(), out.end(), Rank{0});
  return out;
}

}  // namespace

/// Finds for each bucket, the fullest first, a shift that puts all of its pairs into free slots.
class PairTable::Builder {
 public:
  explicit Builder(PairTable& table) : table_(table) {}

  /// False: a bucket found no room; another multiplier may do.
  bool place(std::span<std::uint64_t const> packed) {
    sort(packed);
    std::ranges::fill(table_.slots_, kFree);
    return std::ranges::all_of(fullest_first(), [this](std::uint32_t bucket) { return place(bucket); });
  }

 private:
  std::span<std::uint64_t> pairs_in(std::size_t bucket) noexcept {
    return {pairs_.data() + begins_[bucket], pairs_.data() + begins_[bucket + 1]};
  }
  std::uint64_t hash_of(std::uint64_t packed) const noexcept { return table_.hash_of(packed >> kRankBits); }

  void sort(std::span<std::uint64_t const> packed) {
    begins_.assign(table_.shifts_.size() + 1, 0);
    for (auto pair : packed) ++begins_[table_.bucket_of(hash_of(pair)) + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    pairs_.resize(packed.size());
    auto next = begins_;
    for (auto pair : packed) pairs_[next[table_.bucket_of(hash_of(pair))]++] = pair;
  }

  std::vector<std::uint32_t> fullest_first() const {
    std::vector<std::vector<std::uint32_t>> by_size;
    for (std::uint32_t bucket = 0; bucket + 1 < begins_.size(); ++bucket) {
      auto const size = begins_[bucket + 1] - begins_[bucket];
      if (size >= by_size.size()) by_size.resize(size + 1);
      by_size[size].push_back(bucket);
    }
    std::vector<std::uint32_t> out;
    for (auto size = by_size.size(); size-- > 1;) out.insert(out.end(), by_size[size].begin(), by_size[size].end());
    return out;
  }

  bool place(std::uint32_t bucket) {
    for (std::uint32_t shift = 0; shift <= 0xff; ++shift) {
      if (!fits(pairs_in(bucket), static_cast<std::uint8_t>(shift))) continue;
      table_.shifts_[bucket] = static_cast<std::uint8_t>(shift);
      return true;
    }
    return false;
  }

  /// Takes the slots if all of them are free.
  bool fits(std::span<std::uint64_t const> pairs, std::uint8_t shift) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      auto& slot = table_.slots_[table_.slot_of(hash_of(pairs[i]), shift)];
      if (slot == kFree) {
        slot = pairs[i];
        continue;
      }
      while (i-- > 0) table_.slots_[table_.slot_of(hash_of(pairs[i]), shift)] = kFree;
      return false;
    }
    return true;
  }

  PairTable& table_;
  std::vector<std::uint64_t> pairs_;    ///< by bucket
  std::vector<std::uint32_t> begins_;  ///< of each bucket in pairs_
};

std::optional<PairTable> PairTable::make(std::span<Merge const> merges, std::uint32_t first_id) {
  auto const fits = std::ranges::all_of(
      merges, [](Merge const& m) { return m.left <= kMaxId && m.right <= kMaxId && m.merged <= kMaxId; });
  if (!fits || merges.size() >= kNone) return std::nullopt;
  return PairTable(merges, first_id);
}

PairTable::PairTable(std::span<Merge const> merges, std::uint32_t first_id)
    : first_id_(first_id),
      bucket_count_(static_cast<std::uint32_t>(merges.size() / 4 + 1)),
      slot_count_(static_cast<std::uint32_t>(merges.size() * 10 / 7 + 16)),
      grid_(std::size_t{kFirst} * kFirst),
      shifts_(bucket_count_),
      slots_(slot_count_) {
  auto ranks = ranks_by_id(merges, kTwinBits);
  if (!ranks) {
    ranks = ranks_by_index(merges.size());
    merged_.resize(merges.size());
    for (std::size_t i = 0; i < merges.size(); ++i) merged_[i] = merges[i].merged;
  }
  std::vector<std::uint64_t> packed;
  packed.reserve(merges.size());
  for (std::size_t i = 0; i < merges.size(); ++i)
    packed.push_back(key_of(merges[i].left, merges[i].right) << kRankBits | (*ranks)[i]);
  // Of equal pairs the last one, which has the highest rank, stays.
  std::ranges::sort(packed, std::greater{});
  auto const twins = std::ranges::unique(packed, {}, [](std::uint64_t pair) { return pair >> kRankBits; });
  packed.erase(twins.begin(), twins.end());
  while (!Builder(*this).place(packed)) multiplier_ = multiplier_ * 0xd6e8feb86659fd93u | 1;
  fill_grid();
}

void PairTable::fill_grid() {
  for (std::uint32_t pair = 0; pair < grid_.size(); ++pair) {
    auto const left = first_id_ + pair / kFirst, right = first_id_ + pair % kFirst;
    grid_[pair] = left <= kMaxId && right <= kMaxId ? rank(left, right) : kNone;
  }
}

std::size_t PairTable::memory() const noexcept {
  return grid_.size() * sizeof grid_[0] + shifts_.size() * sizeof shifts_[0] + slots_.size() * sizeof slots_[0] +
         merged_.size() * sizeof merged_[0];
}

}  // namespace kvgate::text::bpe
