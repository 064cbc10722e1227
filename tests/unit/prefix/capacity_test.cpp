#include <gtest/gtest.h>

#include <cmath>

#include "prefix/capacity_estimate.hpp"
#include "unit/prefix/traffic.hpp"

namespace kvgate::prefix {
namespace {

using namespace test;

TEST(CapacityEstimate, NothingToldIsNoLimit) {
  CapacityEstimate estimate;
  EXPECT_EQ(estimate.limit(), CapacityEstimate::unlimited);
  estimate.configure(1000);
  EXPECT_EQ(estimate.limit(), 1000);
  estimate.configure(0);
  EXPECT_EQ(estimate.limit(), CapacityEstimate::unlimited);
}

TEST(CapacityEstimate, OneOddReportDoesLittleManyDoIt) {
  CapacityEstimate estimate;
  estimate.configure(10'000);
  estimate.lost(2000, 10'000);
  EXPECT_GE(estimate.limit(), 8900);
  for (int i = 0; i < 60; ++i) estimate.lost(2000, estimate.limit());
  EXPECT_NEAR(static_cast<double>(estimate.limit()), 2000, 20);
}

TEST(CapacityEstimate, NeverBelowAnEighthOfWhatWasTold) {
  CapacityEstimate estimate;
  estimate.configure(10'000);
  for (int i = 0; i < 200; ++i) estimate.lost(0, estimate.limit());
  EXPECT_EQ(estimate.limit(), 1250);

  CapacityEstimate untold;
  for (int i = 0; i < 200; ++i) untold.lost(0, 10'000);
  EXPECT_EQ(untold.limit(), 256);
}

TEST(CapacityEstimate, LossesAtADepthThatWasConfirmedAreNotEvictions) {
  CapacityEstimate estimate;
  estimate.configure(10'000);
  estimate.kept(8000);
  for (int i = 0; i < 10; ++i) estimate.lost(100, 10'000);
  EXPECT_EQ(estimate.limit(), 10'000);
  for (int i = 0; i < 200; ++i) estimate.lost(100, estimate.limit());  // until nobody confirms any more
  EXPECT_LT(estimate.limit(), 8000);
}

TEST(CapacityEstimate, BlocksThatOutliveTheLimitRaiseItUpToWhatWasTold) {
  CapacityEstimate estimate;
  estimate.configure(10'000);
  for (int i = 0; i < 40; ++i) estimate.lost(4000, estimate.limit());
  auto const low = estimate.limit();
  estimate.outlived();
  EXPECT_GT(estimate.limit(), low);
  for (int i = 0; i < 100; ++i) estimate.outlived();
  EXPECT_EQ(estimate.limit(), 10'000);
}

TEST(CapacityEstimate, ANewSizeVoidsWhatWasLearnedTheSameSizeDoesNot) {
  CapacityEstimate estimate;
  estimate.configure(10'000);
  estimate.lost(0, 10'000);
  auto const learned = estimate.limit();
  estimate.configure(10'000);
  EXPECT_EQ(estimate.limit(), learned);
  estimate.configure(20'000);
  EXPECT_EQ(estimate.limit(), 20'000);
}

struct Engine {
  std::uint64_t told;
  std::uint64_t really;
};

class LearnedCapacity : public testing::TestWithParam<Engine> {};

/// An engine that reports truly what it had; half again as many documents as it can hold, some far hotter than others.
TEST_P(LearnedCapacity, BeliefsComeToAgreeWithWhatTheEngineReports) {
  auto const [told, really] = GetParam();
  CachedBlocks table(std::make_shared<Budget>(plenty));
  table.set_capacity(told);
  Model engine(really);
  std::mt19937_64 random(5);
  double error = 0;
  int const requests = sanitized ? 1500 : 3000;
  for (int i = 0; i < requests; ++i) {
    auto const spread = static_cast<double>(random() % 1000) / 1000;
    auto const prompt = prompt_of(static_cast<std::uint64_t>(spread * spread * 60), 50);
    auto const had = engine.known(prompt);
    engine.touch(prompt);
    auto const belief = table.touch(prompt);
    table.observed(belief, had);
    if (i >= requests / 2) error += std::abs(static_cast<double>(belief.known) - had) / 50;
  }
  EXPECT_NEAR(static_cast<double>(table.stats().capacity), static_cast<double>(really),
              0.15 * static_cast<double>(really));
  EXPECT_LT(error / (requests / 2), 0.05) << "share of blocks believed wrongly, second half of the run";
}

INSTANTIATE_TEST_SUITE_P(Engines, LearnedCapacity,
                         testing::Values(Engine{0, 2000}, Engine{8000, 2000}, Engine{2600, 2000}, Engine{0, 1000}));

class Observed : public testing::Test {
 protected:
  Observed() {
    table_.set_capacity(4000);
    for (std::uint64_t seed = 0; seed < 30; ++seed) table_.touch(prompt_of(seed, 100));
  }

  CachedBlocks table_{std::make_shared<Budget>(plenty)};
};

TEST_F(Observed, RoundingIsNotEviction) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) table_.observed(table_.touch(prompt_of(seed, 100)), 92);
  EXPECT_EQ(table_.stats().capacity, 4000);
}

TEST_F(Observed, OneLossLowersTheCapacityALittle) {
  table_.observed(table_.touch(prompt_of(0, 100)), 0);
  EXPECT_LT(table_.stats().capacity, 3050);
  EXPECT_GT(table_.stats().capacity, 2900);
}

/// A burst of equal prompts: the first has not been computed when the others arrive.
TEST_F(Observed, ABurstOfEqualPromptsDoesNotCollapseTheCapacity) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) table_.observed(table_.touch(prompt_of(seed, 100)), 100);
  auto const hot = prompt_of(99, 100);
  for (int i = 0; i < 20; ++i) table_.observed(table_.touch(hot), 0);
  EXPECT_EQ(table_.stats().capacity, 4000);
}

}  // namespace
}  // namespace kvgate::prefix
