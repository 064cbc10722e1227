// BPE of single words: what the encoders of all vocabularies share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/bpe/long_words.hpp"
#include "text/bpe/merger.hpp"
#include "text/bpe/pair_table.hpp"
#include "text/bpe/token_table.hpp"

namespace kvgate::text::bpe {

/// Immutable once built; safe to share between threads.
class WordModel {
 public:
  virtual ~WordModel() = default;

  /// The symbols that merging a word begins with, at most one for each byte; returns how many.
  virtual std::size_t first_symbols(std::string_view word, std::uint32_t* out) const noexcept = 0;

  PairTable const& pairs() const noexcept { return pairs_; }
  TokenTable const& tokens() const noexcept { return tokens_; }          ///< short words that are one token
  LongWords const& long_tokens() const noexcept { return long_tokens_; }  ///< the longer ones

  virtual std::size_t memory() const noexcept;  ///< bytes

 protected:
  /// The words that are one token as they stand.
  struct WholeWords {
    std::vector<TokenTable::Token> tokens;
    LongWords long_tokens;

    /// False: no room for it.
    bool add(std::string_view word, std::uint32_t id);
  };

  explicit WordModel(PairTable pairs) : pairs_(std::move(pairs)) {}

  /// `words` by id, empty where an id has none. With `ignore_merges` all of them are whole words, else those that
  /// first_symbols() and merging make so. False: no room for them.
  bool find_whole_words(std::vector<std::string> const& words, bool ignore_merges);

 private:
  /// The id that each word merges into; kNone: into several.
  std::vector<std::uint32_t> merge_to_one(std::vector<std::string> const& words) const;

  PairTable pairs_;
  TokenTable tokens_;
  LongWords long_tokens_;
};

/// What the tokens spell, by id; empty where `spelled` knows none. Empty altogether: ids are too large.
template <class Spelled>
std::vector<std::string> words_by_id(Vocabulary const& vocabulary, Spelled spelled) {
  std::vector<std::string> out;
  for (auto const& entry : vocabulary.entries()) {
    if (entry.id > PairTable::kMaxId) return {};
    if (entry.id >= out.size()) out.resize(std::max<std::size_t>(entry.id + 1, vocabulary.size()));
    out[entry.id] = spelled(vocabulary.text(entry)).value_or(std::string{});
  }
  return out;
}

/// The ids of one word, valid until the next use of `merger`.
std::span<std::uint32_t const> merge_word(WordModel const& model, std::string_view word, Merger& merger);

}  // namespace kvgate::text::bpe
