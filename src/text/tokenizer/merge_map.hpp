// Which pairs of tokens merge, in which order and into what.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/stable_hash.hpp"
#include "text/spec/spec.hpp"

namespace kvgate::text {

/// Immutable once built.
class MergeMap {
 public:
  struct Rule {
    std::uint32_t rank = 0;
    std::uint32_t merged = 0;
  };

  explicit MergeMap(std::vector<Merge> const& merges) : slots_(std::bit_ceil(merges.size() * 3 / 2 + 2)) {
    for (std::uint32_t rank = 0; rank < merges.size(); ++rank) {
      Merge const& merge = merges[rank];
      slots_[place(merge.left, merge.right)] = {merge.left, merge.right, {rank, merge.merged}};
    }
  }

  /// nullptr: the two stay apart.
  Rule const* find(std::uint32_t left, std::uint32_t right) const noexcept {
    Slot const& slot = slots_[place(left, right)];
    return slot.is_free() ? nullptr : &slot.rule;
  }

  std::size_t memory() const noexcept { return slots_.capacity() * sizeof(Slot); }

 private:
  static constexpr std::uint32_t kFree = 0xffffffff;  ///< no merge has that rank

  struct alignas(16) Slot {
    std::uint32_t left = 0;
    std::uint32_t right = 0;
    Rule rule{kFree, 0};

    bool is_free() const noexcept { return rule.rank == kFree; }
  };

  std::size_t place(std::uint32_t left, std::uint32_t right) const noexcept {
    std::size_t const mask = slots_.size() - 1;
    std::size_t at = mixed(std::uint64_t{left} << 32 | right) & mask;
    while (!slots_[at].is_free() && (slots_[at].left != left || slots_[at].right != right)) at = (at + 1) & mask;
    return at;
  }

  std::vector<Slot> slots_;
};

}  // namespace kvgate::text
