#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.hpp"
#include "routing/policies/policies.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

Choice pick(PromptFacts::Recorded const& prompt_facts, std::span<Candidate const> candidates) {
  openai::RequestView view;
  RequestKeys keys;
  PromptFacts prompt(view, prompt_facts);
  return make_simhash({})->pick({view, prompt, keys, "m", Clock::time_point{}, 0}, candidates);
}

std::size_t engine_of(std::uint64_t simhash, test::Candidates& candidates) {
  return candidates.row_of(candidates.list()[*pick({100, simhash}, candidates.list()).index]);
}

/// `hash` with that many different bits flipped.
std::uint64_t flipped(std::uint64_t hash, int bits, Random& random) {
  for (std::uint64_t done = 0; bits > 0;) {
    auto const bit = std::uint64_t{1} << (random.next() % 64);
    if (done & bit) continue;
    done |= bit;
    hash ^= bit;
    --bits;
  }
  return hash;
}

TEST(Simhash, AbstainsWithoutAPrompt) {
  test::Candidates candidates({{}, {}});
  EXPECT_FALSE(pick({1, 0}, candidates.list()).index);
  EXPECT_EQ(pick({1, 0}, candidates.list()).why.code, "no_prompt");
  EXPECT_TRUE(pick({2, 0}, candidates.list()).index);
  EXPECT_TRUE(pick({1, 77}, candidates.list()).index);
  EXPECT_EQ(make_simhash({})->name(), "simhash");
  EXPECT_FALSE(make_simhash({})->always_picks());
}

TEST(Simhash, EveryReplicaAgreesWhateverItsOrderLoadAndTurn) {
  test::Candidates here(std::vector<test::Row>(5));
  test::Candidates there({{.in_flight = 5}, {}, {.last_pick = 9}, {.in_flight = 70}, {.prefill_tokens = 12}});
  std::ranges::reverse(there.list());
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    auto const hash = random.next();
    EXPECT_EQ(engine_of(hash, here), engine_of(hash, there));
  }
}

// A new version must not send every prompt elsewhere.
TEST(Simhash, PlacesAreTheSameInEveryProcessAndVersion) {
  test::Candidates candidates(std::vector<test::Row>(8));
  std::string engines;
  for (std::uint64_t i = 0; i < 40; ++i)
    engines += static_cast<char>('0' + engine_of(i * 0x123456789abcdef, candidates));
  EXPECT_EQ(engines, "4442423250371063454202001765107656705510");
}

struct Nearness {
  int bits;
  double at_least, at_most;   ///< share of hashes that stay when that many bits flip
};

TEST(Simhash, PromptsThatDifferInFewBitsMostlyStayTogether) {
  Nearness const cases[] = {{0, 1, 1}, {1, 0.75, 0.95}, {4, 0.55, 0.8}, {8, 0.42, 0.65}, {32, 0, 0.25}};
  test::Candidates candidates(std::vector<test::Row>(8));
  for (auto const& c : cases) {
    Random random(2);
    int stayed = 0;
    for (int i = 0; i < 5000; ++i) {
      auto const hash = random.next();
      if (engine_of(hash, candidates) == engine_of(flipped(hash, c.bits, random), candidates)) ++stayed;
    }
    EXPECT_GE(stayed, 5000 * c.at_least) << c.bits;
    EXPECT_LE(stayed, 5000 * c.at_most) << c.bits;
  }
}

TEST(Simhash, OnlyThePromptsOfAnEngineThatLeavesMove) {
  test::Candidates all(std::vector<test::Row>(6));
  test::Candidates left(std::vector<test::Row>(6));
  left.list().erase(left.list().begin() + 2);
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    auto const hash = random.next();
    auto const before = engine_of(hash, all);
    EXPECT_TRUE(before == 2 || engine_of(hash, left) == before);
  }
}

TEST(Simhash, SharesAreRoughlyTheWeights) {
  test::Candidates candidates({{.weight = 1}, {.weight = 1}, {.weight = 2}, {.weight = 4}});
  std::vector<int> picks(4);
  Random random(4);
  for (int i = 0; i < 8000; ++i) ++picks[engine_of(random.next(), candidates)];
  EXPECT_NEAR(picks[0], 1000, 400);
  EXPECT_NEAR(picks[1], 1000, 400);
  EXPECT_NEAR(picks[2], 2000, 500);
  EXPECT_NEAR(picks[3], 4000, 600);
}

}  // namespace
}  // namespace kvgate::routing
