#include "text/tokenizer/token_trie.hpp"

#include <algorithm>
#include <cstring>

namespace kvgate::text {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101u;
constexpr std::uint64_t kTops = 0x8080808080808080u;
constexpr std::size_t kFew = 4;

/// Whether one of the eight bytes is the one that `repeated` has eight times.
bool has_byte(std::uint64_t bytes, std::uint64_t repeated) noexcept {
  std::uint64_t const differ = bytes ^ repeated;
  return (differ - kOnes) & ~differ & kTops;
}

}  // namespace

TokenTrie::TokenTrie(std::vector<Entry> entries) {
  if (entries.empty()) return;
  std::sort(entries.begin(), entries.end());
  for (Entry const& entry : entries) begins_[static_cast<unsigned char>(entry.first[0])] = true;
  for (std::uint64_t byte = 0; byte < begins_.size(); ++byte) {
    if (begins_[byte]) repeated_.push_back(byte * kOnes);
  }
  nodes_.emplace_back();
  add_children(0, 0, entries.data(), entries.data() + entries.size());
}

/// The entries share their first `depth` bytes, which lead to `parent`. Depth is bounded by the longest text.
void TokenTrie::add_children(std::uint32_t parent, std::size_t depth, Entry const* begin, Entry const* end) {
  struct Range {
    std::uint32_t parent;
    std::size_t depth;
    Entry const *begin, *end;
  };
  std::vector<Range> open{{parent, depth, begin, end}};
  while (!open.empty()) {
    Range range = open.back();
    open.pop_back();
    if (range.begin < range.end && range.begin->first.size() == range.depth) {
      nodes_[range.parent].is_end = true;
      nodes_[range.parent].value = range.begin->second;
      ++range.begin;
    }
    nodes_[range.parent].first_child = static_cast<std::uint32_t>(nodes_.size());
    for (Entry const* at = range.begin; at < range.end;) {
      char const label = at->first[range.depth];
      auto const other = std::find_if(at, range.end, [&](Entry const& e) { return e.first[range.depth] != label; });
      open.push_back({static_cast<std::uint32_t>(nodes_.size()), range.depth + 1, at, other});
      ++nodes_[range.parent].children;
      nodes_.push_back({0, 0, static_cast<std::uint8_t>(label), false, 0});
      at = other;
    }
  }
}

std::optional<TokenTrie::Match> TokenTrie::find(std::string_view text, std::size_t from) const noexcept {
  if (empty()) return std::nullopt;
  for (std::size_t at = next_begin(text, from); at < text.size(); at = next_begin(text, at + 1)) {
    if (auto const match = longest_at(text, at)) return match;
  }
  return std::nullopt;
}

std::size_t TokenTrie::next_begin(std::string_view text, std::size_t from) const noexcept {
  while (repeated_.size() <= kFew && from + sizeof(std::uint64_t) <= text.size()) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + from, sizeof bytes);
    if (std::any_of(repeated_.begin(), repeated_.end(), [&](auto repeated) { return has_byte(bytes, repeated); }))
      break;
    from += sizeof bytes;
  }
  while (from < text.size() && !begins_[static_cast<unsigned char>(text[from])]) ++from;
  return from;
}

std::optional<TokenTrie::Match> TokenTrie::longest_at(std::string_view text, std::size_t begin) const noexcept {
  std::optional<Match> best;
  std::uint32_t node = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    node = child(node, static_cast<std::uint8_t>(text[at]));
    if (node == kNone) break;
    if (nodes_[node].is_end) best = {begin, at + 1, nodes_[node].value};
  }
  return best;
}

std::uint32_t TokenTrie::child(std::uint32_t parent, std::uint8_t label) const noexcept {
  Node const& node = nodes_[parent];
  auto const first = nodes_.begin() + node.first_child;
  auto const last = first + node.children;
  auto const found = std::lower_bound(first, last, label, [](Node const& n, std::uint8_t l) { return n.label < l; });
  if (found == last || found->label != label) return kNone;
  return static_cast<std::uint32_t>(found - nodes_.begin());
}

}  // namespace kvgate::text
