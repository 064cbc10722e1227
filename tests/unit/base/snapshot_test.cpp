#include "base/snapshot.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace kvgate {
namespace {

using Numbers = std::pair<int, int>;   // always equal in a whole version

std::shared_ptr<Numbers const> version(int n) { return std::make_shared<Numbers const>(n, n); }

TEST(Snapshot, ReadersSeeWhatWasPublishedLast) {
  Snapshot<Numbers> snapshot(version(1));
  Snapshot<Numbers>::Reader early(snapshot);
  EXPECT_EQ(early.get()->first, 1);
  snapshot.publish(version(2));
  snapshot.publish(version(3));
  EXPECT_EQ(early.get()->first, 3);
  EXPECT_EQ(snapshot.load()->first, 3);
  EXPECT_EQ(Snapshot<Numbers>::Reader(snapshot).get()->first, 3);
}

TEST(Snapshot, AReaderKeepsItsVersionUntilItLooksAgain) {
  auto first = version(1);
  std::weak_ptr<Numbers const> const watch = first;
  Snapshot<Numbers> snapshot(std::move(first));
  Snapshot<Numbers>::Reader reader(snapshot);
  auto const& held = reader.get();
  snapshot.publish(version(2));
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(held->first, 1);
  reader.get();
  EXPECT_TRUE(watch.expired());
}

TEST(Snapshot, WhileNothingChangesTheSameObjectIsGiven) {
  Snapshot<Numbers> snapshot(version(1));
  Snapshot<Numbers>::Reader reader(snapshot);
  auto const* const before = reader.get().get();
  EXPECT_EQ(reader.get().get(), before);
}

TEST(Snapshot, ThreadsSeeWholeVersionsInOrder) {
  Snapshot<Numbers> snapshot(version(0));
  constexpr int kLast = 20'000;
  auto const read = [&] {
    Snapshot<Numbers>::Reader reader(snapshot);
    for (int seen = 0; seen < kLast;) {
      auto const& now = reader.get();
      ASSERT_EQ(now->first, now->second);
      ASSERT_GE(now->first, seen);
      seen = now->first;
    }
  };
  std::thread a(read), b(read);
  for (int i = 1; i <= kLast; ++i) snapshot.publish(version(i));
  a.join();
  b.join();
}

}  // namespace
}  // namespace kvgate
