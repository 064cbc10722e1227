// Merges the symbols of a word of any length: always the pair with the lowest rank, of equal ones the leftmost, as HuggingFace's
// queue does.
#pragma once

#include <cstdint>
#include <vector>

#include "text/bpe/pair_table.hpp"

namespace kvgate::text::bpe {

/// Working memory of one thread. It is kept between words up to `kKept` symbols; longer words give it back.
class Merger {
 public:
  static constexpr std::size_t kKept = 64 * 1024;

  /// Where the word's symbols go before merge(): room for `count`. Valid until the next call.
  std::uint32_t* symbols(std::size_t count);

  /// Merges the first `count` symbols in place; returns how many are left. O(count log count).
  std::size_t merge(PairTable const& pairs, std::size_t count);

 private:
  struct Node {
    std::uint32_t id, previous, next;
  };
  /// Rank and position of a pair: the lowest is merged first.
  using Candidate = std::uint64_t;

  void link(std::size_t count);
  void queue_all(PairTable const& pairs, std::size_t count);
  void queue(PairTable const& pairs, std::uint32_t left);
  void take(PairTable const& pairs, Candidate best);
  std::size_t collect() noexcept;

  std::vector<std::uint32_t> symbols_;
  std::vector<Node> nodes_;
  std::vector<Candidate> heap_;
};

}  // namespace kvgate::text::bpe
