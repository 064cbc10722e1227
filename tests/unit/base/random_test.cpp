#include "base/random.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace kvgate {
namespace {

TEST(Random, IsSplitmix64) {
  // The reference values of the algorithm's authors for the seed 1234567.
  Random random(1234567);
  for (std::uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                 4593380528125082431u, 16408922859458223821u})
    EXPECT_EQ(random.next(), expected);
}

TEST(Random, TheSeedDecides) {
  Random a(7), b(7), c(8);
  EXPECT_EQ(a.next(), b.next());
  EXPECT_NE(a.next(), c.next());
}

TEST(Random, EveryBitIsSetHalfOfTheTime) {
  Random random(0);
  int ones[64] = {};
  for (int i = 0; i < 10'000; ++i) {
    auto const n = random.next();
    for (int bit = 0; bit < 64; ++bit) ones[bit] += static_cast<int>(n >> bit & 1);
  }
  for (int count : ones) EXPECT_NEAR(count, 5000, 300);
}

TEST(Random, ChanceIsTrueForItsShareAndCostsNothingAtZero) {
  struct Case {
    double share;
    int least, most;
  };
  for (auto const& c : {Case{0, 0, 0}, Case{0.25, 2300, 2700}, Case{1, 10'000, 10'000}}) {
    Random random(1);
    int times = 0;
    for (int i = 0; i < 10'000; ++i) times += random.chance(c.share);
    EXPECT_GE(times, c.least);
    EXPECT_LE(times, c.most);
    if (c.share == 0) { EXPECT_EQ(random.next(), Random(1).next()); }
  }
}

TEST(Random, SeedsOfTheSystemDiffer) {
  std::set<std::uint64_t> seeds;
  for (int i = 0; i < 100; ++i) seeds.insert(random_seed());
  EXPECT_EQ(seeds.size(), 100u);
}

}  // namespace
}  // namespace kvgate
