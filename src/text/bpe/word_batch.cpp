#include "text/bpe/word_batch.hpp"

#include <algorithm>
#include <cstring>

namespace kvgate::text::bpe {

void WordBatch::append_to(std::vector<std::uint32_t>& out, WordModel const& model, WordMemory& memory) {
  recall(model, memory);
  if (waiting_count_ > 0) find_tokens(model, memory);
  if (waiting_count_ > 0) merge(model, memory);
  write(out);
  more_.clear();
  count_ = 0;
}

void WordBatch::write(std::vector<std::uint32_t>& out) const {
  std::span const entries(entries_.data(), count_);
  auto size = out.size();
  out.resize(size + count_ * WordCache::kIds + more_.size());
  auto* to = out.data() + size;
  for (auto const& entry : entries) {
    if (entry.count <= entry.ids.size()) [[likely]]
      std::memcpy(to, entry.ids.data(), sizeof entry.ids);
    else
      std::memcpy(to, more_.data() + entry.ids[0], entry.count * sizeof *to);
    to += entry.count;
  }
  out.resize(static_cast<std::size_t>(to - out.data()));
}

void WordBatch::recall(WordModel const& model, WordMemory const& memory) noexcept {
  waiting_count_ = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    auto& entry = entries_[i];
    entry.count = entry.is_short() ? memory.words.find(entry.key, entry.hash, entry.ids.data()) : 0;
    if (entry.count != 0) [[likely]]
      continue;
    waiting_[waiting_count_++] = static_cast<std::uint16_t>(i);
    if (entry.is_short()) {
      model.tokens().prefetch(entry.hash);
    } else {
      entry.hash = hash_of(entry.word());
      model.long_tokens().prefetch(entry.hash);
      memory.long_words.prefetch(entry.hash);
    }
  }
}

void WordBatch::find_tokens(WordModel const& model, WordMemory& memory) {
  std::size_t still = 0;
  for (std::size_t i = 0; i < waiting_count_; ++i) {
    if (!find_token(entries_[waiting_[i]], model, memory)) waiting_[still++] = waiting_[i];
  }
  waiting_count_ = still;
}

bool WordBatch::find_token(Entry& entry, WordModel const& model, WordMemory& memory) {
  std::span<std::uint32_t const> ids;
  if (entry.is_short()) {
    entry.ids[0] = model.tokens().find(entry.key, entry.hash);
    if (entry.ids[0] != TokenTable::kNone) {
      entry.count = 1;
      memory.words.insert_token(entry.key, entry.hash, entry.ids[0]);
      return true;
    }
  } else {
    ids = model.long_tokens().find(entry.word(), entry.hash);
  }
  if (ids.empty()) ids = memory.long_words.find(entry.word(), entry.hash);
  put(entry, ids);
  return !ids.empty();
}

void WordBatch::merge(WordModel const& model, WordMemory& memory) {
  std::span<std::uint16_t const> left(waiting_.data(), waiting_count_);
  while (!left.empty()) {
    auto const now = left.first(std::min(left.size(), kLanes));
    merge_lanes(now, model, memory);
    left = left.subspan(now.size());
  }
}

void WordBatch::merge_lanes(std::span<std::uint16_t const> entries, WordModel const& model, WordMemory& memory) {
  Entry* owners[kLanes];
  std::size_t used = 0;
  for (auto i : entries) {
    auto& entry = entries_[i];
    if (fill(lanes_[used], entry.word(), model))
      owners[used++] = &entry;
    else
      store(entry, merge_word(model, entry.word(), merger_), memory);
  }
  merge_all(model.pairs(), {lanes_.data(), used});
  for (std::size_t lane = 0; lane < used; ++lane) store(*owners[lane], lanes_[lane].result(), memory);
}

/// False: the word is too long for a lane.
bool WordBatch::fill(ShortMerge& lane, std::string_view word, WordModel const& model) {
  if (word.size() <= ShortMerge::kSymbols) {
    lane.start(model.pairs(), model.first_symbols(word, lane.symbols()));
    return true;
  }
  auto* const symbols = merger_.symbols(word.size());
  auto const count = model.first_symbols(word, symbols);
  if (count > ShortMerge::kSymbols) return false;
  std::memcpy(lane.symbols(), symbols, count * sizeof *symbols);
  lane.start(model.pairs(), count);
  return true;
}

/// Has the entry's ids and remembers them for the next time.
void WordBatch::store(Entry& entry, std::span<std::uint32_t const> ids, WordMemory& memory) {
  put(entry, ids);
  if (entry.is_short() && ids.size() <= WordCache::kIds)
    memory.words.insert(entry.key, entry.hash, ids);
  else
    memory.keep(entry.word(), entry.hash, ids);
}

void WordBatch::put(Entry& entry, std::span<std::uint32_t const> ids) {
  entry.count = static_cast<std::uint32_t>(ids.size());
  if (ids.size() <= entry.ids.size()) {
    std::copy(ids.begin(), ids.end(), entry.ids.begin());
    return;
  }
  entry.ids[0] = static_cast<std::uint32_t>(more_.size());
  more_.insert(more_.end(), ids.begin(), ids.end());
}

}  // namespace kvgate::text::bpe
