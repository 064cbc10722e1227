#include <gtest/gtest.h>

#include "routing/policies/policies.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

TEST(LeastLoaded, PicksTheFewestInFlightForItsWeight) {
  auto const policy = make_least_loaded();
  test::expect_picks(*policy, {
      {"only one", {{.in_flight = 9}}, 0},
      {"fewest", {{.in_flight = 3}, {.in_flight = 1}, {.in_flight = 2}}, 1},
      {"tie goes to the one picked longest ago", {{.last_pick = 9}, {.last_pick = 8}, {.last_pick = 10}}, 1},
      {"fewest, although picked just now", {{.in_flight = 1, .last_pick = 1}, {.in_flight = 0, .last_pick = 9}}, 1},
      {"twice the weight takes twice the load", {{.in_flight = 3}, {.in_flight = 5, .weight = 2}}, 1},
      {"but not more", {{.in_flight = 1}, {.in_flight = 4, .weight = 2}}, 0},
      {"idle fleet: the heaviest first", {{.weight = 1}, {.weight = 2}}, 1},
  });
  EXPECT_EQ(policy->name(), "least_loaded");
  EXPECT_TRUE(policy->always_picks());
}

TEST(LeastLoaded, SaysHowManyWereInFlight) {
  test::Context context;
  test::Candidates candidates({{.in_flight = 7}, {.in_flight = 4}});
  auto const choice = make_least_loaded()->pick(context.context, candidates.list());
  EXPECT_EQ(choice.why.code, "fewest_in_flight");
  EXPECT_EQ(choice.why.got, 4);
}

TEST(LeastLoaded, SpreadsABurstByWeight) {
  auto const policy = make_least_loaded();
  test::Context context;
  test::Candidates candidates({{.weight = 1}, {.weight = 3}});
  for (std::uint64_t i = 0; i < 400; ++i) {
    auto& chosen = candidates.list()[*policy->pick(context.context, candidates.list()).index];
    ++chosen.load.in_flight;
    chosen.last_pick = i;
  }
  EXPECT_NEAR(candidates.list()[1].load.in_flight, 300, 2);
}

}  // namespace
}  // namespace kvgate::routing
