#include <gtest/gtest.h>

#include "routing/policies/policies.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

TEST(RoundRobin, PicksTheOnePickedLongestAgo) {
  auto const policy = make_round_robin();
  test::expect_picks(*policy, {
      {"only one", {{}}, 0},
      {"oldest first", {{.last_pick = 1}, {.last_pick = 2}}, 0},
      {"oldest last", {{.last_pick = 3}, {.last_pick = 2}, {.last_pick = 1}}, 2},
      {"load does not count", {{.in_flight = 100, .last_pick = 1}, {.last_pick = 2}}, 0},
      {"weight does not count", {{.last_pick = 2, .weight = 9}, {.last_pick = 1, .weight = 0.1}}, 1},
      {"equal turns", {{.last_pick = 5}, {.last_pick = 5}}, 0},
  });
  EXPECT_EQ(policy->name(), "round_robin");
  EXPECT_TRUE(policy->always_picks());
  EXPECT_TRUE(policy->needs().empty());
}

TEST(RoundRobin, StaysFairWhenAnEngineIsAwayForAWhile) {
  auto const policy = make_round_robin();
  test::Context context;
  test::Candidates candidates({{}, {}, {}});
  std::vector<int> picks(3);
  std::uint64_t turn = 0;
  auto const pick_from = [&](std::size_t n) {
    auto const at = *policy->pick(context.context, std::span(candidates.list()).first(n)).index;
    candidates.list()[at].last_pick = ++turn;
    ++picks[at];
  };
  for (int i = 0; i < 300; ++i) pick_from(3);
  EXPECT_EQ(picks, (std::vector{100, 100, 100}));
  for (int i = 0; i < 10; ++i) pick_from(2);
  EXPECT_EQ(picks, (std::vector{105, 105, 100}));
  for (int i = 0; i < 30; ++i) pick_from(3);   // it is not flooded to catch up
  EXPECT_EQ(picks, (std::vector{115, 115, 110}));
}

}  // namespace
}  // namespace kvgate::routing
