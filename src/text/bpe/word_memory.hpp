// What one thread has found of words lately.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "text/bpe/long_words.hpp"
#include "text/bpe/word_cache.hpp"

namespace kvgate::text::bpe {

/// Bounded by kBytes. Not thread-safe.
struct WordMemory {
  static constexpr unsigned kLineBits = 16;
  static constexpr std::size_t kLongBytes = 1 << 20;
  static constexpr std::size_t kBytes = (std::size_t{64} << kLineBits) + kLongBytes;
  static constexpr std::size_t kLongestKept = 256;  ///< bytes of a word

  WordCache words{kLineBits};
  LongWords long_words;

  /// Remembers a long word; when there is no more room, only from here on.
  void keep(std::string_view word, std::uint64_t hash, std::span<std::uint32_t const> ids) {
    if (word.size() > kLongestKept) return;
    if (long_words.memory() > kLongBytes) long_words.clear();
    long_words.insert(word, hash, ids);
  }
};

}  // namespace kvgate::text::bpe
