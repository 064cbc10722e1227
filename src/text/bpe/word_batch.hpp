// The words of a stretch of text on their way to ids. They go together, in three passes, so that the memory that one
// needs arrives while others are looked at.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/bpe/merger.hpp"
#include "text/bpe/short_key.hpp"
#include "text/bpe/short_merge.hpp"
#include "text/bpe/word_memory.hpp"
#include "text/bpe/word_model.hpp"

namespace kvgate::text::bpe {

/// Not thread-safe. Words must stay where they are until append_to().
class WordBatch {
 public:
  static constexpr std::size_t kWords = 128;

  bool full() const noexcept { return count_ == kWords; }

  /// `first` are the bytes at `word` (words_at). `word` is not empty.
  void add(std::string_view word, Words first, WordMemory const& memory) noexcept {
    auto& entry = entries_[count_++];
    entry.text = word.data();
    entry.length = static_cast<std::uint32_t>(word.size());
    if (word.size() > kShortWord) return;
    entry.key = short_key(first, word.size());
    entry.hash = hash_of(entry.key);
    memory.words.prefetch(entry.hash);
  }

  /// Finds the ids of all words and appends them to `out`. The batch is empty then.
  void append_to(std::vector<std::uint32_t>& out, WordModel const& model, WordMemory& memory);

 private:
  struct Entry {
    char const* text;
    std::uint32_t length;
    std::uint32_t count;  ///< of ids; more than fit here are in more_, from ids[0] on
    ShortKey key;         ///< of short words
    std::uint64_t hash;
    std::array<std::uint32_t, WordCache::kIds> ids;

    std::string_view word() const noexcept { return {text, length}; }
    bool is_short() const noexcept { return length <= kShortWord; }
  };
  static constexpr std::size_t kLanes = 16;

  /// Each pass leaves in waiting_ what it has not found.
  void recall(WordModel const& model, WordMemory const& memory) noexcept;
  void find_tokens(WordModel const& model, WordMemory& memory);
  void merge(WordModel const& model, WordMemory& memory);

  void write(std::vector<std::uint32_t>& out) const;

  bool find_token(Entry& entry, WordModel const& model, WordMemory& memory);
  void merge_lanes(std::span<std::uint16_t const> entries, WordModel const& model, WordMemory& memory);
  bool fill(ShortMerge& lane, std::string_view word, WordModel const& model);
  void store(Entry& entry, std::span<std::uint32_t const> ids, WordMemory& memory);
  void put(Entry& entry, std::span<std::uint32_t const> ids);

  std::array<Entry, kWords> entries_;
  std::size_t count_ = 0;
  std::array<std::uint16_t, kWords> waiting_;
  std::size_t waiting_count_ = 0;
  std::array<ShortMerge, kLanes> lanes_;
  std::vector<std::uint32_t> more_;
  Merger merger_;
};

}  // namespace kvgate::text::bpe
