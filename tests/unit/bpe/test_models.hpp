// Small models for tests, and merging as its definition says it, slowly.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.hpp"
#include "text/bpe/byte_alphabet.hpp"
#include "text/spec/spec.hpp"
#include "unit/bpe/random_text.hpp"

namespace kvgate::text::bpe {

using Ids = std::vector<std::uint32_t>;

/// Lowest rank first, of equal pairs the leftmost.
class SlowMerges {
 public:
  explicit SlowMerges(std::vector<Merge> const& merges) {
    for (std::size_t i = 0; i < merges.size(); ++i) rank_[{merges[i].left, merges[i].right}] = {i, merges[i].merged};
  }

  Ids merge(Ids ids) const {
    for (;;) {
      auto best = rank_.end();
      std::size_t at = 0;
      for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
        auto const found = rank_.find({ids[i], ids[i + 1]});
        if (found == rank_.end() || (best != rank_.end() && best->second.first <= found->second.first)) continue;
        best = found;
        at = i;
      }
      if (best == rank_.end()) return ids;
      ids[at] = best->second.second;
      ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::size_t, std::uint32_t>> rank_;
};

/// Grows a vocabulary by merging pairs that random texts have, in random order: no order that training would give.
class ModelMaker {
 public:
  ModelMaker(unsigned seed, std::vector<std::string> const& alphabet) : texts_(seed) {
    for (auto const& token : alphabet) add(token);
  }

  void grow(std::vector<Ids> words, int merges) {
    while (merges-- > 0 && !words.empty()) {
      auto& word = words[texts_.below(words.size())];
      if (word.size() < 2) {
        std::swap(word, words.back());
        words.pop_back();
        continue;
      }
      auto const at = texts_.below(word.size() - 1);
      add_merge(word[at], word[at + 1]);
      for (auto& other : words) other = SlowMerges({model_.merges.back()}).merge(std::move(other));
    }
  }

  /// Pairs that need not be reachable.
  void add_strays(int merges) {
    while (merges-- > 0) {
      auto const left = texts_.below(tokens_.size()), right = texts_.below(tokens_.size());
      add_merge(static_cast<std::uint32_t>(left), static_cast<std::uint32_t>(right));
    }
  }

  ModelSpec finish() && {
    model_.vocabulary_size = model_.vocabulary.size();
    return std::move(model_);
  }

  RandomText& texts() noexcept { return texts_; }

 private:
  std::uint32_t add(std::string const& token) {
    if (auto const id = model_.vocabulary.find(token)) return *id;
    auto const id = static_cast<std::uint32_t>(tokens_.size());
    model_.vocabulary.insert(token, id);
    tokens_.push_back(token);
    return id;
  }

  void add_merge(std::uint32_t left, std::uint32_t right) {
    auto const token = tokens_[left] + tokens_[right];
    model_.merges.push_back({left, right, add(token)});
  }

  RandomText texts_;
  std::vector<std::string> tokens_;
  ModelSpec model_;
};

/// Bytes 0 to 255 have the ids 0 to 255.
inline Ids byte_ids(std::string_view text) {
  Ids out;
  for (char c : text) out.push_back(static_cast<unsigned char>(c));
  return out;
}

inline ModelSpec byte_level_model(unsigned seed, int merges = 400) {
  std::vector<std::string> alphabet;
  for (unsigned b = 0; b < 256; ++b) alphabet.push_back(byte_character(static_cast<unsigned char>(b)));
  ModelMaker maker(seed, alphabet);
  std::vector<Ids> words;
  for (int i = 0; i < 60; ++i) words.push_back(byte_ids(maker.texts().next()));
  maker.grow(std::move(words), merges);
  maker.add_strays(merges / 4);
  return std::move(maker).finish();
}

}  // namespace kvgate::text::bpe
