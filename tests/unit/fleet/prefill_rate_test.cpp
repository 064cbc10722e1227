#include "fleet/prefill_rate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <thread>

namespace kvgate::fleet {
namespace {

using namespace std::chrono_literals;

Clock::duration seconds(double s) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
}

/// An engine whose answers are noisy: 10 % on every one, and one in twenty stalls for up to ten times as long.
class Engine {
 public:
  explicit Engine(unsigned seed) : dice_(seed) {}

  double overhead = .03;
  double rate = 8000;
  std::function<double(std::mt19937&)> tokens = [](auto& dice) {
    return std::uniform_real_distribution(64., 8000.)(dice);
  };

  void answer(PrefillRate& learned, int times) {
    for (int i = 0; i < times; ++i) {
      double const n = tokens(dice_);
      double took = (overhead + n / rate) * std::exp(std::normal_distribution(0., .1)(dice_));
      if (dice_() % 20 == 0) took *= std::uniform_real_distribution(1., 10.)(dice_);
      learned.learn(n, seconds(took));
    }
  }

 private:
  std::mt19937 dice_;
};

double uniform_exponent(std::mt19937& dice) {
  return std::exp(std::uniform_real_distribution(std::log(64.), std::log(16000.))(dice));
}

double always_4000(std::mt19937&) {
  return 4000;
}

TEST(PrefillRate, IsWithinTenPercentAfterFiftySamplesAndFollowsAHalving) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    for (auto const& tokens : {Engine(0).tokens, std::function(uniform_exponent), std::function(always_4000)}) {
      SCOPED_TRACE(seed);
      Engine engine(seed);
      engine.tokens = tokens;
      PrefillRate learned;
      engine.answer(learned, 50);
      ASSERT_NEAR(learned.tokens_per_second().value(), 8000, 800);
      engine.rate = 4000;
      engine.answer(learned, 100);
      ASSERT_NEAR(learned.tokens_per_second().value(), 4000, 400);
    }
  }
}

TEST(PrefillRate, TellsOverheadFromSpeed) {
  Engine engine(1);
  engine.overhead = .5;  // as much as the average prompt takes
  PrefillRate learned;
  engine.answer(learned, 64);
  EXPECT_NEAR(learned.tokens_per_second().value(), 8000, 1600);
}

TEST(PrefillRate, KnowsNothingFromFewOrTinySamples) {
  PrefillRate learned;
  for (int i = 0; i < 100; ++i) learned.learn(63, 30ms);
  EXPECT_FALSE(learned.tokens_per_second());
  for (int i = 0; i < 7; ++i) learned.learn(1000, 100ms);
  EXPECT_FALSE(learned.tokens_per_second());
  learned.learn(1000, 100ms);
  EXPECT_NEAR(learned.tokens_per_second().value(), 10'000, 1);
}

TEST(PrefillRate, StrangeSamplesChangeNothing) {
  PrefillRate learned;
  for (int i = 0; i < 64; ++i) learned.learn(1000, 100ms);
  for (double const tokens : {0., -5., std::numeric_limits<double>::infinity(), std::nan("")}) {
    for (int i = 0; i < 64; ++i) learned.learn(tokens, 100ms);
  }
  for (int i = 0; i < 64; ++i) learned.learn(1000, 0ms);
  EXPECT_NEAR(learned.tokens_per_second().value(), 10'000, 1);
}

TEST(PrefillRate, ForgetsWhenReset) {
  PrefillRate learned;
  for (int i = 0; i < 64; ++i) learned.learn(1000, 100ms);
  learned.reset();
  EXPECT_FALSE(learned.tokens_per_second());
  for (int i = 0; i < 8; ++i) learned.learn(1000, 200ms);
  EXPECT_NEAR(learned.tokens_per_second().value(), 5000, 1);
}

TEST(PrefillRate, ManyThreadsLearnTogether) {
  PrefillRate learned;
  auto const work = [&](unsigned seed) { Engine(seed).answer(learned, 5000); };
  {
    std::jthread const a(work, 1), b(work, 2);
    for (int i = 0; i < 1000; ++i) EXPECT_GE(learned.tokens_per_second().value_or(1), 1);
  }
  EXPECT_NEAR(learned.tokens_per_second().value(), 8000, 800);
}

}  // namespace
}  // namespace kvgate::fleet
