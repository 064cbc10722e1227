#include "text/tokenizer/double_array.hpp"

#include <algorithm>

namespace kvgate::text {

/// Places the children of one node after the other into free units, which are kept in a list.
class DoubleArrayBuilder {
 public:
  using Entry = DoubleArray::Entry;

  explicit DoubleArrayBuilder(DoubleArray& array) : array_(array) {
    array_.units_.clear();
    array_.values_.clear();
    add_block();
    use(0, DoubleArray::kNoValue);
  }

  void build(std::vector<Entry> const& entries) {
    std::vector<Range> open{{0, 0, entries.data(), entries.data() + entries.size()}};
    while (!open.empty()) {
      Range const range = open.back();
      open.pop_back();
      place(range, open);
    }
    array_.units_.shrink_to_fit();
    array_.values_.shrink_to_fit();
  }

 private:
  static constexpr std::uint32_t kBlock = 256;
  static constexpr int kTries = 32;

  /// Entries that share the `depth` bytes which lead to `node`.
  struct Range {
    std::uint32_t node;
    std::size_t depth;
    Entry const *begin, *end;
  };

  void place(Range range, std::vector<Range>& open) {
    if (range.begin < range.end && range.begin->first.size() == range.depth) {
      if (range.depth > 0) set_value(range.node, range.begin->second);
      ++range.begin;
    }
    children_.clear();
    for (Entry const* at = range.begin; at < range.end;) {
      char const label = at->first[range.depth];
      auto const other = std::find_if(at, range.end, [&](Entry const& e) { return e.first[range.depth] != label; });
      children_.push_back({static_cast<unsigned char>(label), range.depth + 1, at, other});
      at = other;
    }
    if (children_.empty()) return;
    std::uint32_t const base = find_base();
    array_.units_[range.node].base |= base;
    for (Range& child : children_) {
      child.node ^= base;
      use(child.node, range.node);
      open.push_back(child);
    }
  }

  void set_value(std::uint32_t node, std::uint32_t value) {
    array_.values_[node] = value;
    array_.units_[node].base = DoubleArray::kHasValue;
  }

  /// Children still have their labels as nodes.
  std::uint32_t find_base() {
    std::uint32_t at = children_.size() == 1 ? first_free_ : search_from_;
    for (int tries = 0; at != kNone; at = next_[at]) {
      std::uint32_t const base = at ^ children_[0].node;
      bool const fits = std::all_of(children_.begin(), children_.end(),
                                    [&](Range const& child) { return is_free_[base ^ child.node]; });
      if (fits) return base;
      if (++tries == kTries) search_from_ = at;  // what lies before is too crowded for families
      if (tries == 2 * kTries) break;
    }
    auto const block = static_cast<std::uint32_t>(array_.units_.size());
    add_block();
    return block;
  }

  void add_block() {
    auto const begin = static_cast<std::uint32_t>(array_.units_.size());
    array_.units_.resize(begin + kBlock);
    array_.values_.resize(begin + kBlock, DoubleArray::kNoValue);
    is_free_.resize(begin + kBlock, true);
    for (std::uint32_t at = begin; at < begin + kBlock; ++at) {
      previous_.push_back(last_free_);
      next_.push_back(kNone);
      (last_free_ == kNone ? first_free_ : next_[last_free_]) = at;
      last_free_ = at;
    }
    if (search_from_ == kNone) search_from_ = begin;
  }

  void use(std::uint32_t at, std::uint32_t parent) {
    array_.units_[at].parent = parent;
    is_free_[at] = false;
    if (search_from_ == at) search_from_ = next_[at];
    (previous_[at] == kNone ? first_free_ : next_[previous_[at]]) = next_[at];
    (next_[at] == kNone ? last_free_ : previous_[next_[at]]) = previous_[at];
  }

  static constexpr std::uint32_t kNone = 0xffffffff;

  DoubleArray& array_;
  std::vector<Range> children_;
  std::vector<std::uint32_t> next_, previous_;
  std::vector<bool> is_free_;
  std::uint32_t first_free_ = kNone, last_free_ = kNone, search_from_ = kNone;
};

std::optional<std::uint32_t> DoubleArray::walk(std::string_view text) const noexcept {
  std::uint32_t node = kRoot;
  for (char c : text) {
    std::uint32_t const next = units_[node].child(c);
    if (units_[next].parent != node) return std::nullopt;
    node = next;
  }
  return node;
}

DoubleArray::DoubleArray(std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end());
  DoubleArrayBuilder(*this).build(entries);
}

}  // namespace kvgate::text
