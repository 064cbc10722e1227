#include "text/cache/segment_cache.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace kvgate::text {
namespace {

using Ids = std::vector<std::uint32_t>;

Ids found(SegmentCache& cache, std::uint64_t owner, std::string const& text) {
  Ids out;
  cache.find(owner, text, out);
  return out;
}

TEST(SegmentCache, FindsWhatWasPutUnderTheSameOwner) {
  SegmentCache cache(1 << 20);
  cache.put(1, "text", Ids{1, 2, 3});
  cache.put(2, "text", Ids{9});
  EXPECT_EQ(found(cache, 1, "text"), (Ids{1, 2, 3}));
  EXPECT_EQ(found(cache, 2, "text"), Ids{9});
  EXPECT_EQ(found(cache, 3, "text"), Ids{});
  EXPECT_EQ(found(cache, 1, "texts"), Ids{});
  Ids appended{7};
  EXPECT_TRUE(cache.find(1, "text", appended));
  EXPECT_EQ(appended, (Ids{7, 1, 2, 3}));
  auto const stats = cache.stats();
  EXPECT_EQ(stats.hits, 3u);
  EXPECT_EQ(stats.misses, 2u);
  EXPECT_EQ(stats.hit_bytes, 12u);
  EXPECT_EQ(stats.missed_bytes, 9u);
}

TEST(SegmentCache, StaysWithinItsBoundAndKeepsWhatIsUsed) {
  constexpr std::size_t kBound = 4 << 20;
  SegmentCache cache(kBound);
  std::string const used(2000, 'u');
  cache.put(0, used, Ids(500, 1));
  for (int i = 0; i < 5000; ++i) {
    std::string const text = std::to_string(i) + std::string(2000, 'x');
    cache.put(0, text, Ids(500, 2));
    ASSERT_LE(cache.stats().bytes, kBound);
    ASSERT_EQ(found(cache, 0, used).size(), 500u) << i;
  }
  EXPECT_EQ(found(cache, 0, "0" + std::string(2000, 'x')).size(), 0u);
  EXPECT_GT(cache.stats().bytes, kBound / 2);
}

TEST(SegmentCache, KeepsNothingThatIsTooLarge) {
  SegmentCache none(0), small(1 << 20);
  none.put(0, "a", Ids{1});
  EXPECT_EQ(found(none, 0, "a"), Ids{});
  std::string const large(2 << 20, 'x');
  small.put(0, large, Ids{1});
  EXPECT_EQ(found(small, 0, large), Ids{});
  EXPECT_EQ(small.stats().bytes, 0u);
}

TEST(SegmentCache, ServesManyThreads) {
  SegmentCache cache(256 << 10);
  auto const work = [&] {
    for (std::uint32_t i = 0; i < 20'000; ++i) {
      std::string const text = "segment " + std::to_string(i % 700);
      Ids out;
      if (cache.find(5, text, out)) {
        ASSERT_EQ(out, (Ids{i % 700, 1}));
      } else {
        cache.put(5, text, Ids{i % 700, 1});
      }
    }
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_GT(cache.stats().hits, 0u);
}

}  // namespace
}  // namespace kvgate::text
