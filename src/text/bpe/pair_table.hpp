// Which two symbols merge, how soon, and into what: a perfect hash, so that a look-up reads one number from a small
// table and one slot from a dense one, and takes no branch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "text/bpe/huge_vector.hpp"
#include "text/spec/spec.hpp"

namespace kvgate::text::bpe {

/// When a pair merges: lower ones first. Not the index in the file, but in the same order; no two pairs have the same.
using Rank = std::uint32_t;

/// Immutable once built; safe to share between threads.
class PairTable {
 public:
  static constexpr unsigned kIdBits = 19, kRankBits = 26;
  static constexpr Rank kNone = (1U << kRankBits) - 1;
  static constexpr std::uint32_t kMaxId = (1U << kIdBits) - 2;

  /// Of a pair that is named twice the last counts. Pairs of the 256 ids from `first_id` on are found quickest: the
  /// bytes, where they have such ids. nullopt: there are more ids or merges than can be packed.
  static std::optional<PairTable> make(std::span<Merge const> merges, std::uint32_t first_id);

  /// kNone: the two do not merge. Both up to kMaxId.
  Rank rank(std::uint32_t left, std::uint32_t right) const noexcept { return read(place(left, right), left, right); }

  /// The two halves of rank(), for those who have something else to do while memory comes: where the pair would be ...
  std::uint32_t place(std::uint32_t left, std::uint32_t right) const noexcept {
    auto const hash = hash_of(key_of(left, right));
    auto const at = slot_of(hash, shifts_[bucket_of(hash)]);
    __builtin_prefetch(&slots_[at]);
    return at;
  }
  /// ... and whether it is there.
  Rank read(std::uint32_t place, std::uint32_t left, std::uint32_t right) const noexcept {
    auto const difference = slots_[place] ^ key_of(left, right) << kRankBits;
    return difference >> kRankBits == 0 ? static_cast<Rank>(difference) : kNone;
  }

  /// Pairs of the first ids; false: not both of them are.
  bool first_rank(std::uint32_t left, std::uint32_t right, Rank& out) const noexcept {
    auto const a = left - first_id_, b = right - first_id_;
    if ((a | b) >= kFirst) return false;
    out = grid_[a * kFirst + b];
    return true;
  }

  /// What the merge of that rank makes.
  std::uint32_t merged(Rank rank) const noexcept { return merged_.empty() ? rank >> kTwinBits : merged_[rank]; }

  std::size_t memory() const noexcept;

 private:
  static constexpr std::uint32_t kFirst = 256;
  /// Where merges are ordered by what they make, as they mostly are, a rank is that id and a number among its twins.
  static constexpr unsigned kTwinBits = kRankBits - kIdBits;
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  class Builder;

  PairTable(std::span<Merge const> merges, std::uint32_t first_id);

  static std::uint64_t key_of(std::uint32_t left, std::uint32_t right) noexcept {
    return std::uint64_t{left} << kIdBits | right;
  }
  std::uint64_t hash_of(std::uint64_t key) const noexcept { return key * multiplier_; }
  std::size_t bucket_of(std::uint64_t hash) const noexcept { return (hash >> 32) * bucket_count_ >> 32; }
  std::uint32_t slot_of(std::uint64_t hash, std::uint8_t shift) const noexcept {
    auto const mixed = static_cast<std::uint32_t>((hash >> 16) ^ shift * 0x9e3779b1U) * 0x85ebca6bU;
    return static_cast<std::uint32_t>(std::uint64_t{mixed} * slot_count_ >> 32);
  }
  void fill_grid();

  std::uint32_t first_id_;
  std::uint64_t multiplier_ = 0x9e3779b97f4a7c15u;
  std::uint32_t bucket_count_, slot_count_;
  std::vector<Rank> grid_;             ///< of pairs of the first ids
  std::vector<std::uint8_t> shifts_;  ///< by bucket: what keeps its pairs out of the way of all others
  HugeVector<std::uint64_t> slots_;    ///< left, right, rank
  std::vector<std::uint32_t> merged_;  ///< by rank; empty where the rank tells
};

}  // namespace kvgate::text::bpe
