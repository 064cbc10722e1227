#include "base/seqlock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace kvgate {
namespace {

/// Wide, so that a torn read is likely to be seen; its size is no multiple of a word.
struct Wide {
  std::array<std::uint64_t, 40> copies{};
  std::uint32_t last = 0;

  static Wide of(std::uint32_t value) {
    Wide wide;
    wide.copies.fill(value);
    wide.last = value;
    return wide;
  }
  bool consistent() const {
    return std::ranges::all_of(copies, [this](auto copy) { return copy == last; });
  }
};

TEST(SeqLock, HoldsWhatWasStored) {
  SeqLock<Wide> lock;
  EXPECT_EQ(lock.load().last, 0u);
  lock.store(Wide::of(7));
  EXPECT_EQ(lock.load().last, 7u);
  EXPECT_TRUE(lock.load().consistent());
}

TEST(SeqLock, ReadersSeeWholeValuesThatNeverGoBack) {
  SeqLock<Wide> lock;
  constexpr std::uint32_t kLast = 200'000;
  auto const read = [&] {
    for (std::uint32_t seen = 0; seen < kLast;) {
      auto const wide = lock.load();
      ASSERT_TRUE(wide.consistent()) << wide.last;
      ASSERT_GE(wide.last, seen);
      seen = wide.last;
    }
  };
  std::jthread const a(read), b(read);
  for (std::uint32_t i = 1; i <= kLast; ++i) lock.store(Wide::of(i));
}

}  // namespace
}  // namespace kvgate
