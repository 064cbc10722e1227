#include "proxy/memory_budget.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace kvgate::proxy {
namespace {

TEST(MemoryBudget, GivesNoMoreThanItHas) {
  MemoryBudget budget(100);
  EXPECT_EQ(budget.limit(), 100u);
  EXPECT_TRUE(budget.take(60));
  EXPECT_FALSE(budget.take(41));
  EXPECT_EQ(budget.used(), 60u);
  EXPECT_TRUE(budget.take(40));
  EXPECT_FALSE(budget.take(1));
  EXPECT_TRUE(budget.take(0));
  budget.give_back(100);
  EXPECT_EQ(budget.used(), 0u);
}

TEST(MemoryShare, GrowsAndIsGivenBack) {
  MemoryBudget budget(100);
  {
    MemoryShare share(budget);
    EXPECT_TRUE(share.grow_to(30));
    EXPECT_TRUE(share.grow_to(50));
    EXPECT_TRUE(share.grow_to(10));   // never shrinks
    EXPECT_EQ(share.taken(), 50u);
    EXPECT_EQ(budget.used(), 50u);
    EXPECT_FALSE(share.grow_to(101));
    EXPECT_EQ(share.taken(), 50u);
    share.release();
    share.release();
    EXPECT_EQ(budget.used(), 0u);
    EXPECT_TRUE(share.grow_to(100));
  }
  EXPECT_EQ(budget.used(), 0u);
}

TEST(MemoryShare, SharesCompeteForOneBudget) {
  MemoryBudget budget(100);
  MemoryShare a(budget), b(budget);
  EXPECT_TRUE(a.grow_to(70));
  EXPECT_FALSE(b.grow_to(40));
  a.release();
  EXPECT_TRUE(b.grow_to(40));
}

TEST(MemoryBudget, ThreadsGiveBackExactlyWhatTheyTook) {
  MemoryBudget budget(1000);
  auto const work = [&] {
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      MemoryShare share(budget);
      share.grow_to(i % 700);
      share.grow_to(i % 1100);
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  EXPECT_EQ(budget.used(), 0u);
}

}  // namespace
}  // namespace kvgate::proxy
