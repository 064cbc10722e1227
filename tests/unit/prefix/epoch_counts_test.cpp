#include "prefix/epoch_counts.hpp"

#include <gtest/gtest.h>

namespace kvgate::prefix {
namespace {

TEST(EpochCounts, CountsByEpochAndDropsFromTheOldEnd) {
  EpochCounts counts(1);
  for (std::uint32_t i = 1; i <= 2000; ++i) counts.add(counts.open(), i % 3);
  EXPECT_EQ(counts.total(), 2001);
  EXPECT_EQ(counts.oldest_with_blocks(), 1);
  EXPECT_EQ(counts.newer_than(1997), 1998 % 3 + 1999 % 3 + 2000 % 3);
  EXPECT_EQ(counts.newer_than(2000), 0);
  EXPECT_EQ(counts.drop_through(3), 3);
  EXPECT_EQ(counts.oldest_with_blocks(), 4);
  EXPECT_EQ(counts.drop_through(1000), 1000 - 3);
  EXPECT_EQ(counts.oldest(), 1001);
  EXPECT_EQ(counts.drop_through(2000), 2001 - 1000);
  EXPECT_EQ(counts.total(), 0);
}

TEST(EpochCounts, EpochsWithoutBlocksCostNearlyNothing) {
  EpochCounts counts(1);
  auto const old = counts.open();
  counts.add(old, 5);
  for (int i = 0; i < 100'000; ++i) {
    auto const epoch = counts.open();
    counts.add(epoch, 10);
    counts.remove(epoch, 10);
  }
  EXPECT_LT(counts.bytes(), 16'000);
  EXPECT_EQ(counts.newer_than(old), 0);
  counts.add(old + 50'000, 7);  // a retracted touch goes back to an epoch whose page was freed
  EXPECT_EQ(counts.newer_than(old), 7);
  EXPECT_EQ(counts.drop_through(counts.newest()), 12);
}

TEST(EpochCounts, GoesOnAfterEverythingWasDropped) {
  for (Epoch first : {1, 255, 256, 257, 1000}) {
    EpochCounts counts(first);
    for (int i = 0; i < 600; ++i) {
      counts.add(counts.open(), 2);
      if (i % 7 == 0) {
        EXPECT_EQ(counts.drop_through(counts.newest()), counts.newest() == first ? 2 : 14);
      }
      EXPECT_EQ(counts.total(), i % 7 * 2);
    }
  }
}

TEST(EpochCounts, StampsNeverAreZeroAndStandForTheirEpoch) {
  EpochCounts counts((Epoch{1} << stamp_bits) - 3);
  Epoch last = 0;
  for (int i = 0; i < 8; ++i) {
    auto const epoch = counts.open();
    EXPECT_GT(epoch, last);
    EXPECT_NE(stamp_of(epoch), 0);
    EXPECT_EQ(counts.epoch_of(stamp_of(epoch)), epoch);
    if (last != 0) {
      EXPECT_EQ(counts.epoch_of(stamp_of(last)), last);
      EXPECT_TRUE(is_live(stamp_of(epoch), stamp_of(last)));
      EXPECT_FALSE(is_live(stamp_of(last), stamp_of(epoch)));
    }
    last = epoch;
  }
}

}  // namespace
}  // namespace kvgate::prefix
