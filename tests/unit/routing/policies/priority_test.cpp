#include <gtest/gtest.h>

#include "routing/policies/policies.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

struct Case {
  char const* name;
  std::optional<std::int64_t> priority;
  std::int64_t urgent_below;
  std::string_view why;
};

TEST(Priority, HasAnOpinionOnUrgentRequestsOnly) {
  Case const cases[] = {
      {"below", -1, 0, "urgent"},
      {"at", 0, 0, "not_urgent"},
      {"above", 7, 0, "not_urgent"},
      {"none", std::nullopt, 0, "no_priority"},
      {"other limit", 4, 5, "urgent"},
      {"lowest", std::numeric_limits<std::int64_t>::min(), 0, "urgent"},
  };
  for (auto const& c : cases) {
    auto const policy = make_priority({.urgent_below = c.urgent_below});
    test::Context context;
    context.keys.priority = c.priority;
    test::Candidates candidates({{}, {}});
    auto const choice = policy->pick(context.context, candidates.list());
    EXPECT_EQ(choice.why.code, c.why) << c.name;
    EXPECT_EQ(choice.index.has_value(), c.why == "urgent") << c.name;
    EXPECT_EQ(policy->name(), "priority");
    EXPECT_FALSE(policy->always_picks());
  }
}

TEST(Priority, UrgentRequestsGoWhereTheLeastWorkIsAhead) {
  test::PickCase const cases[] = {
      {"least prefill", {{.prefill_tokens = 900}, {.in_flight = 9, .prefill_tokens = 10}, {.prefill_tokens = 20}}, 1},
      {"same prefill: fewest in flight", {{.in_flight = 3}, {.in_flight = 2}, {.in_flight = 4}}, 1},
      {"prefill by weight", {{.prefill_tokens = 100}, {.weight = 4, .prefill_tokens = 300}}, 1},
      {"in flight by weight", {{.in_flight = 3}, {.in_flight = 5, .weight = 2}}, 1},
      {"tie: the one picked longest ago", {{.last_pick = 9}, {.last_pick = 8}}, 1},
  };
  auto const policy = make_priority({});
  for (auto const& c : cases) {
    test::Context context;
    context.keys.priority = -1;
    test::Candidates candidates(c.rows);
    EXPECT_EQ(policy->pick(context.context, candidates.list()).index, c.picked) << c.name;
  }
}

}  // namespace
}  // namespace kvgate::routing
