#include <gtest/gtest.h>

#include <set>

#include "base/random.hpp"
#include "routing/policies/policies.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

/// Draws `first`, and then `second` of the others.
constexpr std::uint64_t entropy(std::uint32_t first, std::uint32_t second) {
  return std::uint64_t{first} << 32 | second;
}

constexpr std::uint32_t kMost = ~std::uint32_t{0};

struct Case {
  char const* name;
  std::vector<test::Row> rows;
  std::uint64_t entropy;
  std::size_t picked;
};

TEST(PowerOfTwo, PicksTheLessLoadedOfTheTwoDrawn) {
  Case const cases[] = {
      {"only one", {{.in_flight = 9}}, entropy(kMost, kMost), 0},
      {"two: always the less loaded", {{.in_flight = 2}, {.in_flight = 1}}, entropy(0, 0), 1},
      {"two, drawn the other way", {{.in_flight = 2}, {.in_flight = 1}}, entropy(kMost, kMost), 1},
      {"first and second", {{.in_flight = 5}, {.in_flight = 4}, {}}, entropy(0, 0), 1},
      {"first and last", {{.in_flight = 5}, {}, {.in_flight = 4}}, entropy(0, kMost), 2},
      {"last and first", {{.in_flight = 5}, {}, {.in_flight = 6}}, entropy(kMost, 0), 0},
      {"last and the one before", {{}, {.in_flight = 5}, {.in_flight = 6}}, entropy(kMost, kMost), 1},
      {"by weight", {{.in_flight = 3}, {.in_flight = 5, .weight = 2}}, entropy(0, 0), 1},
      {"tie: the one picked longest ago", {{.last_pick = 9}, {.last_pick = 8}}, entropy(0, 0), 1},
  };
  auto const policy = make_power_of_two();
  for (auto const& c : cases) {
    test::Context context;
    context.context.entropy = c.entropy;
    test::Candidates candidates(c.rows);
    EXPECT_EQ(policy->pick(context.context, candidates.list()).index, c.picked) << c.name;
  }
  EXPECT_EQ(policy->name(), "power_of_two");
  EXPECT_TRUE(policy->always_picks());
}

TEST(PowerOfTwo, NeverPicksTheBusiestAndLeavesNobodyElseOut) {
  auto const policy = make_power_of_two();
  test::Context context;
  test::Candidates candidates({{.in_flight = 3}, {.in_flight = 2}, {.in_flight = 9}, {.in_flight = 1}});
  std::set<std::size_t> picked;
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    context.context.entropy = random.next();
    picked.insert(*policy->pick(context.context, candidates.list()).index);
  }
  EXPECT_EQ(picked, (std::set<std::size_t>{0, 1, 3}));
}

}  // namespace
}  // namespace kvgate::routing
