#include <gmock/gmock.h>

#include "text/bpe/merger.hpp"
#include "text/bpe/pair_table.hpp"
#include "text/bpe/short_merge.hpp"
#include "unit/bpe/test_models.hpp"

namespace kvgate::text::bpe {
namespace {

using testing::ElementsAre;

PairTable pairs_of(std::vector<Merge> const& merges) { return *PairTable::make(merges, 0); }

Ids merge_long(PairTable const& pairs, Ids const& ids) {
  Merger merger;
  std::ranges::copy(ids, merger.symbols(ids.size()));
  auto const count = merger.merge(pairs, ids.size());
  return {merger.symbols(count), merger.symbols(count) + count};
}

std::vector<Ids> merge_short(PairTable const& pairs, std::vector<Ids> const& words) {
  std::vector<ShortMerge> lanes(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::ranges::copy(words[i], lanes[i].symbols());
    lanes[i].start(pairs, words[i].size());
  }
  merge_all(pairs, lanes);
  std::vector<Ids> out;
  for (auto const& lane : lanes) out.emplace_back(lane.result().begin(), lane.result().end());
  return out;
}

TEST(Merging, LowestRankFirstThenLeftmost) {
  enum : std::uint32_t { a, b, c, ab, bc, aa, aaa };
  std::vector<Merge> const merges{{b, c, bc}, {a, b, ab}, {a, a, aa}, {aa, a, aaa}};
  auto const pairs = pairs_of(merges);
  struct Case {
    Ids in, out;
  };
  for (auto const& [in, out] : {Case{{a, b, c}, {a, bc}}, Case{{a, b, a}, {ab, a}}, Case{{a, a, a}, {aaa}},
                                Case{{a, a, a, a}, {aa, aa}}, Case{{a, a, a, a, a}, {aa, aaa}}, Case{{c}, {c}},
                                Case{{c, a}, {c, a}}}) {
    EXPECT_EQ(SlowMerges(merges).merge(in), out);
    EXPECT_EQ(merge_long(pairs, in), out);
    EXPECT_THAT(merge_short(pairs, {in}), ElementsAre(out));
  }
}

TEST(Merging, OfAPairThatIsNamedTwiceTheLastCounts) {
  auto const pairs = pairs_of({{0, 1, 5}, {1, 2, 6}, {0, 1, 7}});
  EXPECT_EQ(merge_long(pairs, {0, 1, 2}), (Ids{0, 6}));
  EXPECT_EQ(merge_long(pairs, {0, 1}), (Ids{7}));
}

TEST(Merging, TooLargeIdsAreRefused) {
  EXPECT_TRUE(PairTable::make(std::vector<Merge>{{0, 1, PairTable::kMaxId}}, 0));
  EXPECT_FALSE(PairTable::make(std::vector<Merge>{{0, 1, PairTable::kMaxId + 1}}, 0));
  EXPECT_FALSE(PairTable::make(std::vector<Merge>{{PairTable::kMaxId + 1, 1, 2}}, 0));
}

/// Pairs of few symbols, so that most of them meet; `ordered`: by the id they make, as trained vocabularies are.
std::vector<Merge> random_merges(RandomText& random, std::size_t count, bool ordered) {
  std::vector<Merge> out;
  auto const symbols = static_cast<std::uint32_t>(8);
  for (std::uint32_t i = 0; i < count; ++i) {
    auto const known = ordered ? symbols + i : symbols + static_cast<std::uint32_t>(count);
    out.push_back({static_cast<std::uint32_t>(random.below(known)), static_cast<std::uint32_t>(random.below(known)),
                   symbols + (ordered ? i - i % 3 : static_cast<std::uint32_t>(random.below(count)))});
  }
  return out;
}

TEST(Merging, EqualsItsDefinition) {
  RandomText random(3);
  for (int i = 0; i < rounds(300); ++i) {
    auto const merges = random_merges(random, 1 + random.below(60), i % 2 == 0);
    auto const pairs = pairs_of(merges);
    SlowMerges const slow(merges);
    std::vector<Ids> words(16), wanted;
    for (auto& word : words) {
      word.resize(1 + random.below(ShortMerge::kSymbols));
      for (auto& id : word) id = static_cast<std::uint32_t>(random.below(8));
      wanted.push_back(slow.merge(word));
      ASSERT_EQ(merge_long(pairs, word), wanted.back());
    }
    ASSERT_EQ(merge_short(pairs, words), wanted);
  }
}

TEST(Merging, LongWordsAndManyMerges) {
  RandomText random(4);
  auto const merges = random_merges(random, 30'000, true);  // more than the early table holds
  auto const pairs = pairs_of(merges);
  for (auto const& merge : merges) EXPECT_NE(pairs.rank(merge.left, merge.right), PairTable::kNone);
  Ids word(2000);
  for (auto& id : word) id = static_cast<std::uint32_t>(random.below(2));
  EXPECT_EQ(merge_long(pairs, word), SlowMerges(merges).merge(word));
  EXPECT_EQ(merge_long(pairs_of({{0, 0, 1}, {1, 1, 2}}), Ids(1 << 20, 0)), Ids(1 << 18, 2));
}

}  // namespace
}  // namespace kvgate::text::bpe
