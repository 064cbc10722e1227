#include "text/bpe/char_atoms.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace kvgate::text::bpe {
namespace {

using Edge = CharAtoms::Edge;

constexpr Edge kEdges[] = {Edge::ascii, Edge::wide};

Edge edge_of(char byte) noexcept { return static_cast<unsigned char>(byte) < 0x80 ? Edge::ascii : Edge::wide; }

/// For each symbol the soonest merge with something to its left or right that has ASCII or other bytes at that edge.
class Crossings {
 public:
  explicit Crossings(CharAtoms::Parts const& parts) {
    for (auto& side : soonest_) {
      for (auto& ranks : side) ranks.assign(parts.tokens.size(), PairTable::kNone);
    }
    for (auto const& merge : parts.merges) {
      auto const& left = parts.tokens[merge.left];
      auto const& right = parts.tokens[merge.right];
      if (left.empty() || right.empty()) continue;  // no bytes ever become it
      auto const rank = parts.pairs.rank(merge.left, merge.right);
      note(to_left(edge_of(left.back()))[merge.right], rank);
      note(to_right(edge_of(right.front()))[merge.left], rank);
    }
  }

  std::vector<Rank>& to_left(Edge neighbour) noexcept { return soonest_[0][static_cast<int>(neighbour)]; }
  std::vector<Rank>& to_right(Edge neighbour) noexcept { return soonest_[1][static_cast<int>(neighbour)]; }

 private:
  static void note(Rank& soonest, Rank rank) noexcept { soonest = std::min(soonest, rank); }

  std::vector<Rank> soonest_[2][3];
};

/// Merges one character alone and notes between which neighbours that is how it goes.
class LoneChar {
 public:
  LoneChar(CharAtoms::Parts const& parts, std::string_view bytes) : pairs_(parts.pairs) {
    for (auto byte : bytes) ids_[count_++] = parts.byte_ids[static_cast<unsigned char>(byte)];
  }

  /// Whether it became the one symbol `id`.
  bool becomes(std::uint32_t id, Crossings& crossings) {
    while (count_ > 1) {
      auto const [rank, at] = soonest();
      if (rank == PairTable::kNone) return false;
      for (auto edge : kEdges) {
        if (crossings.to_left(edge)[ids_[0]] <= rank) bad_left[static_cast<int>(edge)] = true;
        if (crossings.to_right(edge)[ids_[count_ - 1]] <= rank) bad_right[static_cast<int>(edge)] = true;
      }
      ids_[at] = pairs_.merged(rank);
      std::copy(ids_ + at + 2, ids_ + count_, ids_ + at + 1);
      --count_;
    }
    return ids_[0] == id;
  }

  bool bad_left[3] = {}, bad_right[3] = {};

 private:
  std::pair<Rank, std::size_t> soonest() const noexcept {
    std::pair best{PairTable::kNone, std::size_t{0}};
    for (std::size_t i = 0; i + 1 < count_; ++i) best = std::min(best, {pairs_.rank(ids_[i], ids_[i + 1]), i});
    return best;
  }

  PairTable const& pairs_;
  std::uint32_t ids_[4] = {};
  std::size_t count_ = 0;
};

bool is_wide_char(std::string_view token) noexcept {
  return token.size() > 1 && token.size() <= 4 && utf8_step(token).length == token.size();
}

}  // namespace

CharAtoms::CharAtoms(Parts const& parts) {
  Crossings crossings(parts);
  for (std::uint32_t id = 0; id < parts.tokens.size(); ++id) {
    auto const& token = parts.tokens[id];
    if (!is_wide_char(token)) continue;
    LoneChar lone(parts, token);
    if (!lone.becomes(id, crossings)) continue;
    auto value = id;
    for (auto edge : kEdges) {
      if (lone.bad_left[static_cast<int>(edge)]) value |= kLeft[static_cast<int>(edge)];
      if (lone.bad_right[static_cast<int>(edge)]) value |= kRight[static_cast<int>(edge)];
    }
    map_.set(utf8_step(token).code_point, value);
  }
}

}  // namespace kvgate::text::bpe
