// Merging of words of few symbols, several words at once: while one waits for memory the next goes on.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "text/bpe/pair_table.hpp"

namespace kvgate::text::bpe {

/// One word. Always the pair with the lowest rank merges, of equal ones the leftmost, as in HuggingFace's queue.
class ShortMerge {
 public:
  static constexpr std::size_t kSymbols = 64;

  /// Where the word's symbols go before start(), and are after the last step().
  std::uint32_t* symbols() noexcept { return ids_.data(); }
  std::span<std::uint32_t const> result() const noexcept { return {ids_.data(), count_}; }

  /// `count`: 1 to kSymbols.
  void start(PairTable const& pairs, std::size_t count) noexcept;

  /// At most one merge. False: there was none left, result() is it.
  bool step(PairTable const& pairs) noexcept;

 private:
  /// Rank and, below, where the pair begins.
  using Found = std::uint32_t;
  static constexpr unsigned kPositionBits = 6;
  static constexpr Found kNothing = PairTable::kNone << kPositionBits;  ///< that or more: no pair
  static_assert(kSymbols == 1 << kPositionBits && PairTable::kRankBits + kPositionBits <= 32);

  static Found found(Rank rank, unsigned left) noexcept { return rank << kPositionBits | left; }

  void look_up_all(PairTable const& pairs) noexcept;
  void look_up_waiting(PairTable const& pairs) noexcept;
  Found least() const noexcept;
  void take(PairTable const& pairs, Found best) noexcept;
  void finish() noexcept;

  std::array<std::uint32_t, kSymbols> ids_;  ///< by where they begin; those that were merged into another are gone
  std::array<Found, kSymbols> found_;
  std::size_t count_ = 0;
  std::uint64_t alive_ = 0;
  /// The symbol that the last merge made and its neighbours; itself where it has none.
  std::uint8_t merged_ = 0, before_ = 0, after_ = 0;
  std::uint32_t place_before_ = 0, place_after_ = 0;  ///< of these pairs in the table
};

/// start() has been called on all of them.
void merge_all(PairTable const& pairs, std::span<ShortMerge> words) noexcept;

}  // namespace kvgate::text::bpe
