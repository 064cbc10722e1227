#include <gtest/gtest.h>

#include "base/random.hpp"
#include "routing/policies/policies.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0};

struct Case {
  char const* name;
  std::vector<double> weights;
  std::uint64_t entropy;
  std::size_t picked;
};

TEST(RandomPolicy, MapsEntropyToWeights) {
  Case const cases[] = {
      {"only one", {1}, kMost, 0},
      {"lowest", {1, 1}, 0, 0},
      {"highest", {1, 1}, kMost, 1},
      {"just below the half", {1, 1}, kMost / 2 - 5000, 0},
      {"just over the half", {1, 1}, kMost / 2 + 5000, 1},
      {"three quarters", {1, 2, 1}, kMost / 4 * 3 + 5000, 2},
      {"heavy in front", {9, 1}, kMost / 10 * 9 - 5000, 0},
      {"tiny weights", {1e-9, 1e-9}, kMost, 1},
  };
  auto const policy = make_random();
  for (auto const& c : cases) {
    std::vector<test::Row> rows;
    for (double weight : c.weights) rows.push_back({.weight = weight});
    test::Context context;
    context.context.entropy = c.entropy;
    test::Candidates candidates(rows);
    EXPECT_EQ(policy->pick(context.context, candidates.list()).index, c.picked) << c.name;
  }
  EXPECT_EQ(policy->name(), "random");
  EXPECT_TRUE(policy->always_picks());
}

TEST(RandomPolicy, SharesAreTheWeights) {
  auto const policy = make_random();
  test::Context context;
  test::Candidates candidates({{.weight = 1}, {.in_flight = 99, .weight = 2}, {.weight = 5}});
  std::vector<int> picks(3);
  Random random(3);
  for (int i = 0; i < 80'000; ++i) {
    context.context.entropy = random.next();
    ++picks[*policy->pick(context.context, candidates.list()).index];
  }
  EXPECT_NEAR(picks[0], 10'000, 500);
  EXPECT_NEAR(picks[1], 20'000, 700);
  EXPECT_NEAR(picks[2], 50'000, 900);
}

}  // namespace
}  // namespace kvgate::routing
