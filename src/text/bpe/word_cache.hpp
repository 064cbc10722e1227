// What one thread has found of short words lately. Keyed by the words themselves: an entry is never wrong.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "text/bpe/huge_vector.hpp"
#include "text/bpe/short_key.hpp"

namespace kvgate::text::bpe {

/// Of words that want the same line the last two stay, so it never grows and needs no clearing. Not thread-safe.
class WordCache {
 public:
  static constexpr std::size_t kIds = 4;  ///< words of more tokens are not kept
  static constexpr std::uint32_t kMaxId = (1U << 24) - 1;

  /// 64 << `line_bits` bytes.
  explicit WordCache(unsigned line_bits) : lines_(std::size_t{1} << line_bits), mask_(lines_.size() - 1) {}

  void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&lines_[hash & mask_]); }

  /// Writes four ids to `out` of which some count; returns how many, 0: not there.
  unsigned find(ShortKey key, std::uint64_t hash, std::uint32_t* out) const noexcept {
    auto const& line = lines_[hash & mask_];
    auto const& entry = line.entries[line.entries[0].key == key ? 0 : 1];
    return entry.key == key ? entry.copy(out) : 0;
  }

  /// A word of one token. It is soon found again, so it leaves the first place of its line to those that are not.
  void insert_token(ShortKey key, std::uint64_t hash, std::uint32_t id) noexcept {
    auto& entry = lines_[hash & mask_].entries[1];
    entry.key = key;
    entry.ids[0] = id | 1U << 24;
  }

  /// `ids`: one to four, each up to kMaxId.
  void insert(ShortKey key, std::uint64_t hash, std::span<std::uint32_t const> ids) noexcept {
    auto& line = lines_[hash & mask_];
    line.entries[1] = line.entries[0];
    auto& entry = line.entries[0];
    entry.key = key;
    std::memcpy(entry.ids, ids.data(), ids.size_bytes());
    entry.ids[0] |= static_cast<std::uint32_t>(ids.size()) << 24;
  }

 private:
  struct Entry {
    ShortKey key;
    std::uint32_t ids[kIds];  ///< the high byte of the first is their number

    unsigned copy(std::uint32_t* out) const noexcept {
      std::memcpy(out, ids, sizeof ids);
      auto const count = out[0] >> 24;
      out[0] &= kMaxId;
      return count;
    }
  };
  struct alignas(64) Line {
    Entry entries[2];
  };

  HugeVector<Line> lines_;
  std::size_t mask_;
};

}  // namespace kvgate::text::bpe
