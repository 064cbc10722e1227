// The cache line that block tables are made of, and the entries in it.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "prefix/block_hash.hpp"
#include "prefix/epoch_counts.hpp"

namespace kvgate::prefix {

/// A block and the stamp of its last touch in one word: the low 40 bits of its hash, never 0, then the stamp. A word
/// with stamp 0 stands for the block alone; 0 is an empty entry.
using Entry = std::atomic<std::uint64_t>;

constexpr std::uint64_t word_of(BlockHash block) {
  auto const word = block << stamp_bits;
  return word == 0 ? std::uint64_t{1} << stamp_bits : word;
}

constexpr bool same_block(std::uint64_t a, std::uint64_t b) {
  return ((a ^ b) >> stamp_bits) == 0;
}

/// Where it belongs among that many lines. Taken from the entry alone, so that it can be moved without its hash.
constexpr std::uint32_t home_line(std::uint64_t word, std::uint32_t lines) {
  return static_cast<std::uint32_t>(((word >> 32) * lines) >> 32);
}

/// Seven entries. Read by any thread at any time; written under the table's lock.
class alignas(64) BlockLine {
 public:
  static constexpr std::size_t size = 7;

  std::array<Entry, size>& entries() noexcept { return entries_; }

  /// The entry of this block, dead or alive, or null.
  Entry* find(std::uint64_t word) noexcept {
    for (auto found = candidates(word); found != 0; found &= found - 1) {
      auto& entry = entries_[static_cast<std::size_t>(std::countr_zero(found)) / 8];
      if (same_block(entry.load(std::memory_order_acquire), word)) return &entry;
    }
    return nullptr;
  }

  /// Puts a block that find() does not find in the place of a dead or empty entry. False: there is none.
  bool insert(std::uint64_t entry, std::uint32_t cutoff) noexcept {
    for (std::size_t i = 0; i < size; ++i) {
      if (is_live(stamp_of(entries_[i].load(std::memory_order_relaxed)), cutoff)) continue;
      entries_[i].store(entry, std::memory_order_release);
      set_byte(i, fingerprint(entry));
      return true;
    }
    return false;
  }

  /// How many entries are live; the others are empty then.
  std::uint64_t erase_dead(std::uint32_t cutoff) noexcept {
    std::uint64_t live = 0;
    for (auto& entry : entries_) {
      if (is_live(stamp_of(entry.load(std::memory_order_relaxed)), cutoff)) {
        ++live;
      } else {
        entry.store(0, std::memory_order_release);
      }
    }
    return live;
  }

  /// How many lines further the blocks at home in this line may be found.
  std::uint32_t reach() const noexcept {
    return static_cast<std::uint32_t>(bytes_.load(std::memory_order_acquire) >> 56);
  }
  void set_reach(std::uint32_t lines) noexcept { set_byte(size, lines); }

  /// Whether a block at home here can only be in one of the next lines.
  bool must_be_further(std::uint64_t word) const noexcept { return reach() != 0 && candidates(word) == 0; }

 private:
  /// A byte of the hash that says nothing about the home line.
  static constexpr std::uint64_t fingerprint(std::uint64_t word) { return word >> stamp_bits & 0xff; }

  /// The top bit of byte i is set if that byte is the fingerprint, and sometimes when it is not. Where an entry stands
  /// cannot be predicted, so comparing one after the other would cost more.
  std::uint64_t candidates(std::uint64_t word) const noexcept {
    constexpr std::uint64_t ones = 0x0001'0101'0101'0101;
    auto const differing = bytes_.load(std::memory_order_acquire) ^ ones * fingerprint(word);
    return (differing - ones) & ~differing & ones << 7;
  }

  void set_byte(std::size_t byte, std::uint64_t value) noexcept {
    auto const old = bytes_.load(std::memory_order_relaxed);
    bytes_.store((old & ~(std::uint64_t{0xff} << byte * 8)) | value << byte * 8, std::memory_order_release);
  }

  std::array<Entry, size> entries_{};
  /// A fingerprint of each entry, which stays when the entry is erased, and in the top byte the reach.
  std::atomic<std::uint64_t> bytes_{0};
};

static_assert(sizeof(BlockLine) == 64);

}  // namespace kvgate::prefix
