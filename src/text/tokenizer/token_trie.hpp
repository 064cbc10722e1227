// Finds the longest of a few thousand texts at the earliest place where one begins.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kvgate::text {

/// A trie over bytes, walked from each place where a text may begin. Immutable once built.
class TokenTrie {
 public:
  struct Match {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint32_t value = 0;
  };

  TokenTrie() = default;

  /// The texts must differ from each other and from "".
  explicit TokenTrie(std::vector<std::pair<std::string, std::uint32_t>> entries);

  bool empty() const noexcept { return nodes_.empty(); }

  /// The leftmost match that begins at `from` or behind, the longest if several begin there.
  std::optional<Match> find(std::string_view text, std::size_t from) const noexcept;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Node {
    std::uint32_t first_child = 0;  ///< children stand next to each other, by label
    std::uint16_t children = 0;
    std::uint8_t label = 0;
    bool is_end = false;
    std::uint32_t value = 0;
  };
  using Entry = std::pair<std::string, std::uint32_t>;

  void add_children(std::uint32_t parent, std::size_t depth, Entry const* begin, Entry const* end);
  std::uint32_t child(std::uint32_t parent, std::uint8_t label) const noexcept;
  std::size_t next_begin(std::string_view text, std::size_t from) const noexcept;
  std::optional<Match> longest_at(std::string_view text, std::size_t begin) const noexcept;

  std::vector<Node> nodes_;
  std::array<bool, 256> begins_{};       ///< bytes that a text begins with
  std::vector<std::uint64_t> repeated_;  ///< each of them eight times, if they are few
};

}  // namespace kvgate::text
