#include "text/bpe/word_model.hpp"

#include <array>

#include "text/bpe/short_merge.hpp"

namespace kvgate::text::bpe {

bool WordModel::WholeWords::add(std::string_view word, std::uint32_t id) {
  if (word.empty()) return true;
  if (word.size() > kShortWord) return long_tokens.insert(word, hash_of(word), {&id, 1});
  tokens.push_back({short_key(word), id});
  return true;
}

bool WordModel::find_whole_words(std::vector<std::string> const& words, bool ignore_merges) {
  WholeWords whole;
  whole.tokens.reserve(words.size());
  auto const reached = ignore_merges ? std::vector<std::uint32_t>{} : merge_to_one(words);
  for (std::uint32_t id = 0; id < words.size(); ++id) {
    if ((ignore_merges || reached[id] == id) && !whole.add(words[id], id)) return false;
  }
  whole.long_tokens.shrink();
  tokens_ = TokenTable(whole.tokens);
  long_tokens_ = std::move(whole.long_tokens);
  return true;
}

std::vector<std::uint32_t> WordModel::merge_to_one(std::vector<std::string> const& words) const {
  std::vector<std::uint32_t> out(words.size(), TokenTable::kNone);
  auto const note = [&out](std::size_t word, std::span<std::uint32_t const> ids) {
    if (ids.size() == 1) out[word] = ids.front();
  };
  constexpr std::size_t most = 16;
  std::array<ShortMerge, most> lanes;
  std::array<std::size_t, most> owners;
  std::size_t used = 0;
  auto const flush = [&] {
    merge_all(pairs_, {lanes.data(), used});
    for (std::size_t i = 0; i < used; ++i) note(owners[i], lanes[i].result());
    used = 0;
  };
  Merger merger;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].size() > ShortMerge::kSymbols) {
      note(i, merge_word(*this, words[i], merger));
    } else if (!words[i].empty()) {
      owners[used] = i;
      lanes[used].start(pairs_, first_symbols(words[i], lanes[used].symbols()));
      if (++used == most) flush();
    }
  }
  flush();
  return out;
}

std::size_t WordModel::memory() const noexcept {
  return sizeof *this + pairs_.memory() + tokens_.memory() + long_tokens_.memory();
}

std::span<std::uint32_t const> merge_word(WordModel const& model, std::string_view word, Merger& merger) {
  auto const count = model.first_symbols(word, merger.symbols(word.size()));
  return {merger.symbols(count), merger.merge(model.pairs(), count)};
}

}  // namespace kvgate::text::bpe
