// Characters that always become one token before anything merges across their edges: a word may begin with these tokens
// in place of their bytes. Saves most of the merging in Chinese, Japanese or Russian text.
//
// While a character merges inside, whatever stands beside it can only take part in a merge with the symbol at that edge.
// If each inner merge comes sooner than every merge that could cross an edge at that time, none of them happens first.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "text/bpe/code_point_map.hpp"
#include "text/bpe/merger.hpp"
#include "text/bpe/pair_table.hpp"
#include "text/spec/spec.hpp"

namespace kvgate::text::bpe {

/// Immutable once built; safe to share between threads.
class CharAtoms {
 public:
  /// What stands beside a character: nothing, or bytes that are or are not ASCII.
  enum class Edge : std::uint8_t { none, ascii, wide };

  struct Parts {
    std::span<Merge const> merges;
    PairTable const& pairs;
    std::array<std::uint32_t, 256> const& byte_ids;
    std::vector<std::string> const& tokens;  ///< bytes by id
  };

  explicit CharAtoms(Parts const& parts);

  /// The token that `c` becomes between such neighbours whatever they are; CodePointMap::kNone: perhaps not.
  std::uint32_t find(char32_t c, Edge left, Edge right) const noexcept {
    auto const found = map_.get(c);
    auto const wanted = kLeft[static_cast<int>(left)] | kRight[static_cast<int>(right)];
    return (found & wanted) == 0 ? found & kIdMask : CodePointMap::kNone;
  }

  std::size_t memory() const noexcept { return map_.memory(); }

 private:
  static constexpr std::uint32_t kIdMask = (1U << 24) - 1;
  /// A bit that is set in the map: not between such neighbours.
  static constexpr std::uint32_t kLeft[] = {1U << 24, 1U << 25, 1U << 26};
  static constexpr std::uint32_t kRight[] = {1U << 24, 1U << 27, 1U << 28};

  CodePointMap map_;
};

}  // namespace kvgate::text::bpe
