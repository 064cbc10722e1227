#include "base/seqlock.hpp"

#include <gtest/gtest.h>

namespace kvgate {
namespace {

struct Pair {
  std::uint64_t one = 0, minus_one = 0;
  std::uint32_t again = 0;  // sizes that are no multiple of a word
  bool consistent() const { return one + minus_one == 0 && again == static_cast<std::uint32_t>(one); }
};

TEST(SeqLock, HoldsWhatWasStored) {
  SeqLock<Pair> lock;
  EXPECT_EQ(lock.load().one, 0u);
  lock.store({7, 0 - std::uint64_t{7}, 7});
  EXPECT_EQ(lock.load().one, 7u);
  EXPECT_TRUE(lock.load().consistent());
}

TEST(SeqLock, ReadersSeeWholeValuesThatNeverGoBack) {
  SeqLock<Pair> lock;
  constexpr std::uint64_t kLast = 200'000;
  auto const read = [&] {
    for (std::uint64_t seen = 0; seen < kLast;) {
      auto const pair = lock.load();
      ASSERT_TRUE(pair.consistent()) << pair.one;
      ASSERT_GE(pair.one, seen);
      seen = pair.one;
    }
  };
  std::jthread const a(read), b(read);
  for (std::uint64_t i = 1; i <= kLast; ++i) lock.store({i, 0 - i, static_cast<std::uint32_t>(i)});
}

}  // namespace
}  // namespace kvgate
