#include "prefix/cached_blocks.hpp"

#include <gtest/gtest.h>

#include "unit/prefix/traffic.hpp"

namespace kvgate::prefix {
namespace {

using namespace test;

class CachedBlocksTest : public testing::Test {
 protected:
  std::shared_ptr<Budget> budget_ = std::make_shared<Budget>(plenty);
  CachedBlocks table_{budget_};
};

TEST_F(CachedBlocksTest, KnowsWhatWasRoutedUpToWhereItDiffers) {
  auto const chat = prompt_of(1, 10);
  EXPECT_EQ(known(table_, chat), 0);
  EXPECT_EQ(table_.touch(chat).known, 0);
  EXPECT_EQ(known(table_, chat), 10);

  auto longer = chat;
  extend(longer, 7);
  EXPECT_EQ(known(table_, longer), 10);
  EXPECT_EQ(table_.touch(longer).known, 10);

  Prompt other(chat.begin(), chat.begin() + 4);
  extend(other, 9);
  EXPECT_EQ(known(table_, other), 4);
  EXPECT_EQ(table_.stats().live_blocks, 11);
}

TEST_F(CachedBlocksTest, AnEmptyPromptIsNothing) {
  EXPECT_EQ(known(table_, {}), 0);
  auto const belief = table_.touch({});
  table_.observed(belief, 0);
  table_.retract({}, belief);
  EXPECT_EQ(table_.stats().live_blocks, 0);
}

TEST_F(CachedBlocksTest, BlocksWhoseHashIsZeroOrEndsInZerosAreBlocksToo) {
  Prompt const odd{0, std::uint64_t{1} << 53, std::uint64_t{5} << 61, ~std::uint64_t{0}};
  EXPECT_EQ(known(table_, odd), 0);
  table_.touch(odd);
  EXPECT_EQ(known(table_, odd), 4);
  EXPECT_EQ(table_.stats().live_blocks, 4);
}

struct Traffic {
  Epoch first_epoch;
  std::uint64_t limit;
  std::size_t max_blocks;
};

class AgainstModel : public testing::TestWithParam<Traffic> {};

/// At every step the same answers as the model, for the prompt of the step and others; with requests that fail between.
TEST_P(AgainstModel, IsAnLruByWholeRequests) {
  auto const [first_epoch, limit, max_blocks] = GetParam();
  CachedBlocks table(std::make_shared<Budget>(plenty), first_epoch);
  table.set_capacity(limit);
  Model model(limit);
  std::mt19937_64 random(limit);
  for (int step = 0; step < (sanitized ? 1500 : 6000); ++step) {
    auto const prompt = random_prompt(random, max_blocks);
    bool const fails = step % 5 == 0 && prompt.size() <= limit && model.size() + model.missing(prompt) <= limit;
    auto const expected = model.known(prompt);
    auto const belief = table.touch(prompt);
    ASSERT_EQ(belief.known, expected) << "step " << step;
    if (fails && belief.measured == belief.known) {
      table.retract(prompt, belief);
    } else {
      model.touch(prompt);
    }
    ASSERT_EQ(table.stats().live_blocks, model.size()) << "step " << step;
    for (int probe = 0; probe < 4; ++probe) {
      auto const other = random_prompt(random, max_blocks);
      ASSERT_EQ(known(table, other), model.known(other)) << "step " << step;
    }
  }
}

constexpr Epoch wrap = Epoch{1} << stamp_bits;
INSTANTIATE_TEST_SUITE_P(Limits, AgainstModel,
                         testing::Values(Traffic{1, 1, 8}, Traffic{1, 40, 50}, Traffic{1, 300, 40},
                                         Traffic{1, 5000, 100}, Traffic{wrap - 700, 300, 40},
                                         Traffic{(wrap << 8) - 700, 300, 40}, Traffic{wrap / 2 - 700, 300, 40}));

TEST_F(CachedBlocksTest, WhatIsKnownIsAlwaysABeginning) {
  table_.set_capacity(500);
  std::mt19937_64 random(3);
  for (int step = 0; step < 2000; ++step) {
    auto const prompt = random_prompt(random, 60);
    auto const belief = table_.touch(prompt);
    if (step % 3 == 0) table_.retract(prompt, belief);
    auto const other = random_prompt(random, 60);
    auto const length = known(table_, other);
    for (std::size_t i = 1; i <= other.size(); ++i) {
      ASSERT_EQ(known(table_, std::span(other).first(i)), std::min<std::size_t>(i, length)) << "step " << step;
    }
  }
}

TEST_F(CachedBlocksTest, APromptThatIsTooLongForTheEngineKeepsItsBeginning) {
  table_.set_capacity(6);
  table_.touch(prompt_of(1, 4));
  table_.touch(prompt_of(2, 10));
  EXPECT_EQ(known(table_, prompt_of(2, 10)), 6);
  EXPECT_EQ(known(table_, prompt_of(1, 4)), 0);
}

TEST_F(CachedBlocksTest, ALowerCapacityForgetsTheOldestAtOnce) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) table_.touch(prompt_of(seed, 10));
  table_.set_capacity(35);
  EXPECT_EQ(table_.stats().live_blocks, 30);
  EXPECT_EQ(known(table_, prompt_of(6, 10)), 0);
  EXPECT_EQ(known(table_, prompt_of(7, 10)), 10);
  EXPECT_EQ(table_.stats().capacity, 35);
}

TEST_F(CachedBlocksTest, ARetractedRequestLeavesOnlyWhatWasThereBefore) {
  auto const chat = prompt_of(1, 8);
  auto longer = chat;
  for (int i = 0; i < 5; ++i) extend(longer, 6);
  table_.touch(chat);
  auto const belief = table_.touch(longer);
  table_.retract(longer, belief);
  EXPECT_EQ(known(table_, longer), 8);
  table_.retract(longer, belief);  // twice does no harm
  EXPECT_EQ(known(table_, longer), 8);
  EXPECT_EQ(table_.stats().live_blocks, 8);
}

TEST_F(CachedBlocksTest, ARetractedRequestDoesNotTakeWhatALaterOneBrought) {
  auto const chat = prompt_of(1, 8);
  auto const first = table_.touch(chat);
  table_.touch(chat);
  table_.retract(chat, first);
  EXPECT_EQ(known(table_, chat), 8);
}

TEST_F(CachedBlocksTest, ARetractedRequestDoesNotMakeOldBlocksYounger) {
  table_.set_capacity(30);
  table_.touch(prompt_of(1, 10));
  table_.touch(prompt_of(2, 10));
  auto const chat = prompt_of(1, 10);
  table_.retract(chat, table_.touch(chat));
  table_.touch(prompt_of(3, 15));
  EXPECT_EQ(known(table_, chat), 0);
  EXPECT_EQ(known(table_, prompt_of(2, 10)), 10);
}

TEST_F(CachedBlocksTest, ARestartedEngineHasNothingAndOldRequestsDoNotTouchTheNew) {
  auto const chat = prompt_of(1, 300);
  auto const before = table_.touch(chat);
  table_.clear();
  EXPECT_EQ(known(table_, chat), 0);
  EXPECT_EQ(table_.stats().live_blocks, 0);
  EXPECT_LT(table_.stats().bytes, sizeof(CachedBlocks) + 8192);

  table_.touch(chat);
  table_.retract(chat, before);
  table_.observed(before, 0);
  EXPECT_EQ(known(table_, chat), 300);
  EXPECT_EQ(table_.stats().capacity, 0);
}

TEST_F(CachedBlocksTest, InALargeCacheRepeatedPromptsStayWhileOthersGo) {
  constexpr std::uint64_t capacity = 32'768;
  table_.set_capacity(capacity);
  auto const hot = prompt_of(1, 500);
  for (std::uint64_t seed = 2; seed < 1000; ++seed) {
    table_.touch(hot);
    table_.touch(prompt_of(seed, 100));
    ASSERT_EQ(known(table_, hot), 500) << seed;
    ASSERT_LE(table_.stats().live_blocks, capacity);
  }
  EXPECT_EQ(known(table_, prompt_of(999 - 250, 100)), 100) << "well within what the cache holds";
  EXPECT_EQ(known(table_, prompt_of(999 - 400, 100)), 0);
}

TEST_F(CachedBlocksTest, InALargeCachePromptsThatShareABeginningGoOneByOne) {
  constexpr std::uint64_t capacity = 32'768;
  table_.set_capacity(capacity);
  auto const with_tail = [](std::uint64_t seed) {
    auto prompt = prompt_of(1, 20);
    for (int i = 0; i < 80; ++i) extend(prompt, seed);
    return prompt;
  };
  for (std::uint64_t seed = 2; seed < 2000; ++seed) {
    table_.touch(with_tail(seed));
    ASSERT_LE(table_.stats().live_blocks, capacity);
    ASSERT_GE(known(table_, with_tail(seed)), 100u) << seed;
  }
  EXPECT_EQ(known(table_, with_tail(1999 - 300)), 100) << "well within what the cache holds";
  EXPECT_EQ(known(table_, with_tail(1999 - 500)), 20);
}

TEST_F(CachedBlocksTest, ARetractedRequestThatJoinedTakesOnlyItsOwn) {
  auto const chat = prompt_of(1, 8);
  auto longer = chat;
  for (int i = 0; i < 5; ++i) extend(longer, 6);
  table_.touch(chat);
  auto const first = table_.touch(longer);
  auto const second = table_.touch(longer);
  table_.retract(longer, first);
  EXPECT_EQ(known(table_, longer), 13) << "the second one counts on it";
  table_.retract(longer, second);
  EXPECT_EQ(known(table_, longer), 13) << "it brought nothing";
}

TEST_F(CachedBlocksTest, BlocksUnusedForVeryManyRequestsAreForgotten) {
  if (sanitized) GTEST_SKIP() << "a million requests";
  table_.set_capacity(5000);  // a small cache is modelled use by use
  table_.touch(prompt_of(1, 3));
  auto const hot = prompt_of(2, 1);
  for (Epoch i = 0; i + 1 < CachedBlocks::max_epochs; ++i) table_.touch(hot);
  EXPECT_EQ(known(table_, prompt_of(1, 3)), 3);
  table_.touch(hot);
  EXPECT_EQ(known(table_, prompt_of(1, 3)), 0);
  EXPECT_EQ(known(table_, hot), 1);
  EXPECT_LT(table_.stats().bytes, 128u << 10) << "touches that bring nothing must not cost memory";
}

/// Stamps have come round since the first prompts died: their entries must be gone by then.
TEST_F(CachedBlocksTest, ForgottenBlocksDoNotComeBackWhenStampsWrapAround) {
  if (sanitized) GTEST_SKIP() << "takes seconds even without";
  for (std::uint64_t seed = 0; seed < 20; ++seed) table_.touch(prompt_of(seed, 100));
  table_.set_capacity(100);
  Prompt const passing[] = {prompt_of(1000, 1), prompt_of(1001, 1)};
  for (Epoch i = 0; i < wrap / 2 + wrap / 16; ++i) {  // from wrap / 2 on their stamps look young
    table_.touch(passing[i % 2]);
    if (i % (wrap / 64) != 0) continue;
    for (std::uint64_t seed = 0; seed < 19; ++seed) ASSERT_EQ(known(table_, prompt_of(seed, 100)), 0) << i;
  }
}

/// Whoever finds prompts whose hashes collide may not make a segment grow for ever, or wipe out everything else.
TEST_F(CachedBlocksTest, CollidingHashesDoNotTakeAllMemory) {
  auto const chat = prompt_of(1, 50);
  table_.touch(chat);
  for (std::uint64_t i = 0; i < 5000; ++i) {
    Prompt const crafted{std::uint64_t{7} << 56 | i};
    table_.touch(crafted);
  }
  EXPECT_EQ(known(table_, chat), 50);
  EXPECT_LT(table_.stats().bytes, 256u << 10);
}

}  // namespace
}  // namespace kvgate::prefix
