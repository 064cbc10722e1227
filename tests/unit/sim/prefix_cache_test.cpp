#include "sim/prefix_cache.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace kvgate::sim {
namespace {

using Hashes = std::vector<std::uint64_t>;

TEST(PrefixCache, FindsTheLongestKnownHead) {
  PrefixCache cache(10);
  EXPECT_EQ(cache.insert(Hashes{1, 2, 3}), 3U);
  EXPECT_EQ(cache.lookup(Hashes{1, 2, 3, 4}), 3U);
  EXPECT_EQ(cache.lookup(Hashes{1, 9, 3}), 1U);
  EXPECT_EQ(cache.lookup(Hashes{2, 3}), 2U);
  EXPECT_EQ(cache.lookup(Hashes{}), 0U);
  EXPECT_EQ(cache.insert(Hashes{1, 2, 7}), 1U) << "only what was missing is new";
}

TEST(PrefixCache, EvictsWhatWasUsedLongestAgo) {
  PrefixCache cache(4);
  cache.insert(Hashes{1, 2});
  cache.insert(Hashes{3, 4});
  cache.lookup(Hashes{1, 2});
  cache.insert(Hashes{5, 6});
  EXPECT_EQ(cache.size(), 4U);
  EXPECT_EQ(cache.lookup(Hashes{1, 2}), 2U);
  EXPECT_EQ(cache.lookup(Hashes{3}), 0U);
}

TEST(PrefixCache, LosesAChainFromItsTail) {
  PrefixCache cache(3);
  cache.insert(Hashes{1, 2, 3});
  cache.insert(Hashes{9});
  EXPECT_EQ(cache.lookup(Hashes{1, 2, 3}), 2U);
}

TEST(PrefixCache, TakesTheHeadOfAPromptThatIsLongerThanTheCache) {
  PrefixCache cache(2);
  EXPECT_EQ(cache.insert(Hashes{1, 2, 3, 4}), 2U);
  EXPECT_EQ(cache.lookup(Hashes{1, 2, 3, 4}), 2U);
  cache.clear();
  EXPECT_EQ(cache.lookup(Hashes{1}), 0U);
}

}  // namespace
}  // namespace kvgate::sim
