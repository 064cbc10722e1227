#include <gtest/gtest.h>

#include "unit/prefix/traffic.hpp"

namespace kvgate::prefix {
namespace {

using namespace test;

using Engines = std::vector<std::unique_ptr<CachedBlocks>>;

std::uint64_t bytes_of(Engines const& engines) {
  std::uint64_t sum = 0;
  for (auto const& engine : engines) sum += engine->stats().bytes;
  return sum;
}

class BudgetOf : public testing::TestWithParam<std::size_t> {};

TEST_P(BudgetOf, IsKeptWhateverIsRouted) {
  constexpr std::uint64_t max_bytes = 4u << 20;
  auto const budget = std::make_shared<Budget>(max_bytes);
  Engines engines;
  for (std::size_t i = 0; i < GetParam(); ++i) engines.push_back(std::make_unique<CachedBlocks>(budget));
  for (std::uint64_t i = 0; i < (sanitized ? 4'000 : 16'000); ++i) {
    auto const newest = prompt_of(i, 40);
    auto& engine = *engines[i % engines.size()];
    engine.touch(newest);
    ASSERT_LE(engine.stats().bytes, max_bytes / engines.size());
    ASSERT_EQ(known(engine, newest), 40);
  }
  EXPECT_LE(bytes_of(engines), max_bytes);
  EXPECT_GT(bytes_of(engines), sanitized ? 0 : max_bytes * 3 / 4) << "and used";
}

INSTANTIATE_TEST_SUITE_P(Engines, BudgetOf, testing::Values(1, 2, 7, 64));

TEST(Budget, EnginesThatComeTakeFromThoseThatAreThere) {
  constexpr std::uint64_t max_bytes = 4u << 20;
  auto const budget = std::make_shared<Budget>(max_bytes);
  std::uint64_t const rounds = sanitized ? 2'000 : 10'000;
  Engines engines;
  for (std::uint64_t i = 0; i < (sanitized ? 5 : 12); ++i) {
    engines.push_back(std::make_unique<CachedBlocks>(budget));
    ASSERT_LE(bytes_of(engines), max_bytes);
    for (std::uint64_t k = 0; k < rounds; ++k) engines.back()->touch(prompt_of(i * rounds + k, 40));
    ASSERT_LE(bytes_of(engines), max_bytes);
    for (std::uint64_t e = 0; e <= i; ++e) {
      ASSERT_EQ(known(*engines[e], prompt_of(e * rounds + rounds - 1, 40)), 40) << "the newest are what stays";
    }
  }
  engines.erase(engines.begin() + 1, engines.end());
  EXPECT_EQ(budget->share(), max_bytes);
}

TEST(Budget, TooSmallForAnythingIsSafe) {
  for (std::uint64_t max_bytes : {0, 1000, 20'000}) {
    CachedBlocks table(std::make_shared<Budget>(max_bytes));
    for (std::uint64_t i = 0; i < 200; ++i) {
      auto const prompt = prompt_of(i, 50);
      auto const belief = table.touch(prompt);
      EXPECT_LE(known(table, prompt), 50);
      table.observed(belief, 50);
      table.retract(prompt, belief);
    }
  }
}

/// What is promised per block: 64 bytes for the first holder and 16 for each further one.
TEST(Memory, PerBlock) {
  auto const budget = std::make_shared<Budget>(plenty);
  std::uint64_t const blocks = sanitized ? 100'000 : 1'000'000;
  for (std::uint64_t holders : {1, 3}) {
    Engines engines;
    for (std::uint64_t i = 0; i < holders; ++i) engines.push_back(std::make_unique<CachedBlocks>(budget));
    std::uint64_t held = 0;
    for (std::uint64_t i = 0; held < blocks; ++i) {
      auto const prompt = prompt_of(i, 64);
      for (auto& engine : engines) engine->touch(prompt);
      held += 64;
      if (held % 6400 != 0 || held < blocks / 10) continue;
      ASSERT_LE(bytes_of(engines), held * (64 + 16 * (holders - 1))) << held;
    }
  }
}

TEST(Memory, GoesBackWhenBlocksAreForgotten) {
  CachedBlocks table(std::make_shared<Budget>(plenty));
  for (std::uint64_t i = 0; i < 2000; ++i) table.touch(prompt_of(i, 50));
  auto const full = table.stats().bytes;
  table.set_capacity(5000);
  for (std::uint64_t i = 0; i < 70'000; ++i) table.touch(prompt_of(i % 10, 5));
  EXPECT_LT(table.stats().bytes, full / 4);
}

/// Two million distinct prompts; every tenth request repeats one of a set that is small enough to stay.
TEST(Soak, RepeatingPromptsStayKnownWhileMillionsPass) {
  constexpr std::uint64_t max_bytes = 16u << 20;
  std::uint64_t const distinct = sanitized ? 100'000 : 2'000'000;
  auto const budget = std::make_shared<Budget>(max_bytes);
  Engines engines;
  for (int i = 0; i < 4; ++i) engines.push_back(std::make_unique<CachedBlocks>(budget));
  std::vector<double> hit_rates;
  std::uint64_t hits = 0, repeats = 0;
  for (std::uint64_t i = 0; i < distinct; ++i) {
    auto& engine = *engines[i % engines.size()];
    engine.touch(prompt_of(1'000'000 + i, 8));
    ASSERT_LE(engine.stats().bytes, max_bytes / engines.size());
    if (i % 9 != 0) continue;
    auto const repeating = prompt_of(i / 9 % 1000, 8);
    auto& home = *engines[i / 9 % 1000 % engines.size()];
    hits += home.touch(repeating).known;
    repeats += 8;
    if (repeats / 8 % (distinct / 90) == 0) {
      hit_rates.push_back(static_cast<double>(hits) / static_cast<double>(repeats));
      hits = repeats = 0;
    }
  }
  ASSERT_GE(hit_rates.size(), 9);
  for (std::size_t i = 1; i < hit_rates.size(); ++i) EXPECT_GT(hit_rates[i], 0.99) << "tenth " << i;
}

}  // namespace
}  // namespace kvgate::prefix
