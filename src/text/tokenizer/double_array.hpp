// A trie over bytes in two arrays: one memory access for each byte of a text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace kvgate::text {

/// Immutable once built. About 12 bytes for each node.
class DoubleArray {
 public:
  static constexpr std::uint32_t kNoValue = 0xffffffff;
  using Entry = std::pair<std::string_view, std::uint32_t>;

  DoubleArray() = default;

  /// The texts must differ; "" is ignored.
  explicit DoubleArray(std::vector<Entry> entries);

  static constexpr std::uint32_t kRoot = 0;

  /// Where the bytes of `text` lead to; nullopt: no entry begins with them.
  std::optional<std::uint32_t> walk(std::string_view text) const noexcept;

  /// Calls `each(length, value)` for every entry that, behind what leads to `node`, `text` begins with: the shortest
  /// first.
  template <class Each>
  void prefixes(std::string_view text, Each&& each, std::uint32_t node = kRoot) const {
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::uint32_t const next = units_[node].child(text[i]);
      if (units_[next].parent != node) return;
      node = next;
      if (units_[node].has_value()) each(i + 1, values_[node]);
    }
  }

  std::size_t memory() const noexcept {
    return units_.capacity() * sizeof(Unit) + values_.capacity() * sizeof(std::uint32_t);
  }

 private:
  friend class DoubleArrayBuilder;

  static constexpr std::uint32_t kHasValue = 0x80000000;

  struct Unit {
    std::uint32_t base = 0;  ///< the child for byte b stands at base ^ b; beside that kHasValue
    std::uint32_t parent = kNoValue;

    bool has_value() const noexcept { return base & kHasValue; }
    std::uint32_t child(char byte) const noexcept { return (base & ~kHasValue) ^ static_cast<unsigned char>(byte); }
  };

  std::vector<Unit> units_ = std::vector<Unit>(256);  ///< whole blocks of 256; the root is the first
  std::vector<std::uint32_t> values_ = std::vector<std::uint32_t>(256, kNoValue);
};

}  // namespace kvgate::text
