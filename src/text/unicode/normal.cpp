#include "text/unicode/normal.hpp"

#include <algorithm>

#include "text/unicode/hangul.hpp"
#include "text/unicode/normal_data.hpp"

namespace kvgate::text {
namespace {

namespace data = normal_data;

template <class T>
using Flat = std::vector<T>;

template <class T>
Flat<T> flat() {
  return Flat<T>(TwoStage<T>::kCodePoints);
}

template <class T>
void add_bit(Flat<T>& values, std::span<CodeRange const> ranges, T bit) {
  for (CodeRange const& range : ranges) {
    for (char32_t c = range.first; c <= range.last; ++c) values[c] = static_cast<T>(values[c] | bit);
  }
}

template <class T>
Flat<T> spread(std::span<data::ValuedRange const> ranges) {
  auto values = flat<T>();
  for (auto const& range : ranges) {
    std::fill(values.begin() + range.first, values.begin() + range.last + 1, static_cast<T>(range.value));
  }
  return values;
}

std::uint64_t pair_key(char32_t first, char32_t second) noexcept {
  return std::uint64_t{first} << 32 | second;
}

constexpr char32_t kCompatible = 128;

/// A table is at most 65535 long, so that a place fits into 16 bits; the generator's is a third of that.
void place_decompositions(Flat<std::uint16_t>& canonical, Flat<std::uint16_t>& compatible) {
  auto const table = data::kDecompositions;
  for (std::size_t at = 0; at < table.size(); at += 2 + table[at + 1] % kCompatible) {
    auto const place = static_cast<std::uint16_t>(at + 1);
    compatible[table[at]] = place;
    if (table[at + 1] < kCompatible) canonical[table[at]] = place;
  }
}

}  // namespace

NormalTables const& NormalTables::get() {
  static NormalTables const tables;
  return tables;
}

NormalTables::NormalTables() {
  build_mappings();
  build_facts();
}

void NormalTables::build_mappings() {
  combining_ = TwoStage(spread<std::uint8_t>(data::kCombiningClasses));
  scripts_ = TwoStage(spread<std::uint8_t>(data::kScripts));
  auto graphemes = spread<std::uint8_t>(data::kGraphemes);
  add_bit<std::uint8_t>(graphemes, data::kConjunctExtend, 0x40);
  add_bit<std::uint8_t>(graphemes, data::kConjunctLinker, 0x80);
  graphemes_ = TwoStage(graphemes);
  auto lower = flat<std::int32_t>();
  for (auto const& run : data::kLowerRuns) {
    for (char32_t c = run.first; c <= run.last; c += run.step) lower[c] = run.distance;
  }
  lower[0x130] = 'i' - 0x130;
  lower_ = TwoStage(lower);
  for (auto const& c : data::kCompositions) pairs_.push_back({pair_key(c.first, c.second), c.composed});
  std::sort(pairs_.begin(), pairs_.end(), [](Pair const& a, Pair const& b) { return a.key < b.key; });
  auto canonical = flat<std::uint16_t>();
  auto compatible = flat<std::uint16_t>();
  place_decompositions(canonical, compatible);
  canonical_ = TwoStage(canonical);
  compatible_ = TwoStage(compatible);
}

void NormalTables::build_facts() {
  auto facts = flat<std::uint16_t>();
  for (char32_t c = 0; c < facts.size(); ++c) {
    bool const marks = combining_[c] != 0 || hangul::is_jamo_tail(c);
    // Composition gives back what can be composed, so only what is its own composition may stay as it is.
    bool const singular = canonical_[c] != 0;
    if (marks || singular) facts[c] |= kStirsNfc;
    if (marks || singular || hangul::is_syllable(c)) facts[c] |= kStirsNfd;
    if (marks || compatible_[c] != 0) facts[c] |= kStirsNfkc;
    if (marks || compatible_[c] != 0 || hangul::is_syllable(c)) facts[c] |= kStirsNfkd;
    if (lower_[c] != 0) facts[c] |= kUpper;
  }
  for (auto const& pair : data::kCompositions) {
    facts[pair.composed] &= static_cast<std::uint16_t>(~kStirsNfc);
    if (compatible_[pair.composed] == canonical_[pair.composed]) {
      facts[pair.composed] &= static_cast<std::uint16_t>(~kStirsNfkc);
    }
  }
  for (auto const& pair : data::kCompositions) facts[pair.second] |= kStirsNfc | kStirsNfkc;
  add_bit<std::uint16_t>(facts, data::kStripAccents, kAccent);
  add_bit<std::uint16_t>(facts, data::kBertRemoved, kBertRemoved);
  add_bit<std::uint16_t>(facts, data::kBertSpaced, kBertSpaced);
  add_bit<std::uint16_t>(facts, data::kBertMarks, kBertMark);
  add_bit<std::uint16_t>(facts, data::kPunctuation, kPunctuation);
  add_bit<std::uint16_t>(facts, data::kNumeric, kNumeric);
  add_bit<std::uint16_t>(facts, data::kRegexWord, kRegexWord);
  add_bit<std::uint16_t>(facts, ranges(masks::kSpace), kWhiteSpace);
  facts_ = TwoStage(facts);
}

std::u32string_view NormalTables::decomposition(char32_t c, bool compatible) const noexcept {
  std::uint16_t const place = compatible ? compatible_[c] : canonical_[c];
  if (place == 0) return {};
  char32_t const* const entry = data::kDecompositions.data() + place - 1;
  return {entry + 2, entry[1] % kCompatible};
}

std::optional<char32_t> NormalTables::compose(char32_t first, char32_t second) const noexcept {
  if (auto const syllable = hangul::compose(first, second)) return syllable;
  std::uint64_t const key = pair_key(first, second);
  auto const found = std::lower_bound(pairs_.begin(), pairs_.end(), key,
                                      [](Pair const& pair, std::uint64_t wanted) { return pair.key < wanted; });
  if (found == pairs_.end() || found->key != key) return std::nullopt;
  return found->composed;
}

}  // namespace kvgate::text
