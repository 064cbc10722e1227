#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "prefix/read_section.hpp"
#include "unit/prefix/traffic.hpp"

namespace kvgate::prefix {
namespace {

using namespace test;

TEST(ReadSection, HoldsBackOnlyWhatWasRetiredAfterItBegan) {
  auto const before = retirement_mark();
  EXPECT_TRUE(all_readers_passed(before));
  {
    ReadSection const reading;
    EXPECT_TRUE(all_readers_passed(before));
    auto const during = retirement_mark();
    EXPECT_FALSE(all_readers_passed(during));
    std::thread([&] { EXPECT_FALSE(all_readers_passed(during)); }).join();
  }
  EXPECT_TRUE(all_readers_passed(retirement_mark()));
}

TEST(ReadSection, ThreadsThatEndedHoldNothingBack) {
  for (int i = 0; i < 50; ++i) std::thread([] { ReadSection const reading; }).join();
  EXPECT_TRUE(all_readers_passed(retirement_mark()));
}

/// One hot prompt is touched again and again while others fill, empty and clear the tables: readers must always find
/// the whole of it, in every state of the tables.
TEST(Concurrency, ReadersNeverMissWhatIsThereThroughout) {
  auto const budget = std::make_shared<Budget>(8u << 20);
  CachedBlocks table(budget), other(budget);
  auto const hot = prompt_of(1, 100);
  table.touch(hot);
  std::atomic<int> writing{2};
  auto const write = [&](std::uint64_t seed) {
    for (std::uint64_t i = 0; i < (sanitized ? 1500 : 10'000); ++i) {
      auto const prompt = prompt_of(seed * 1'000'000 + i, 60);
      auto const belief = table.touch(prompt);
      if (i % 3 == 0) table.retract(prompt, belief);
      if (i % 8 == 0) table.observed(table.touch(hot), 100);
      other.touch(prompt);
      if (i % 500 == 0) other.clear();
      if (i % 700 == 0) CachedBlocks(budget).touch(hot);  // everybody shrinks
    }
    --writing;
  };
  std::thread one(write, 1), two(write, 2);
  std::vector<CachedBlocks const*> const views{&table, &other};
  std::uint64_t looks = 0;
  for (; writing != 0; ++looks) {
    std::uint32_t found[2];
    CachedBlocks::longest_prefixes(views, hot, found);
    EXPECT_EQ(found[0], 100) << "look " << looks;
    EXPECT_EQ(found[1], 0);
    if (testing::Test::HasFailure()) break;
  }
  one.join();
  two.join();
  EXPECT_GT(looks, 0);
  EXPECT_LE(table.stats().bytes + other.stats().bytes, 8u << 20);
}

}  // namespace
}  // namespace kvgate::prefix
