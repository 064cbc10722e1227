#include "base/compute_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace kvgate {
namespace {

TEST(ComputePool, RunsWhatItTookBeforeItStops) {
  std::atomic<int> ran = 0;
  {
    ComputePool pool(2, 1000);
    for (int i = 0; i < 500; ++i) EXPECT_TRUE(pool.run([&] { ++ran; }));
  }
  EXPECT_EQ(ran, 500);
}

TEST(ComputePool, TakesNoMoreThanMayWait) {
  std::promise<void> running, release;
  std::atomic<int> ran = 0;
  ComputePool pool(1, 2);
  EXPECT_TRUE(pool.run([&] {
    running.set_value();
    release.get_future().wait();
  }));
  running.get_future().wait();
  EXPECT_TRUE(pool.run([&] { ++ran; }));
  EXPECT_TRUE(pool.run([&] { ++ran; }));
  EXPECT_FALSE(pool.run([&] { ++ran; }));
  release.set_value();
  pool.stop();
  EXPECT_EQ(ran, 2);
  EXPECT_FALSE(pool.run([&] { ++ran; }));
}

}  // namespace
}  // namespace kvgate
