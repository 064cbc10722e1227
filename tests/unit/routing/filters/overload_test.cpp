#include <gtest/gtest.h>

#include "routing/filters/filters.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

test::Row waits(std::uint32_t n) { return {.reported = fleet::Reported{.waiting = n}}; }
test::Row uses(float share) { return {.reported = fleet::Reported{.kv_usage = share}}; }

TEST(OverloadFilter, WithoutLimitsKeepsEverybody) {
  auto const filter = make_overload({});
  test::expect_keeps(*filter, {{"all", {{.in_flight = 1000}, waits(1000), uses(1)}, {0, 1, 2}}, {"none", {}, {}}});
  EXPECT_EQ(filter->name(), "overload");
  EXPECT_EQ(filter->on_empty(), OnEmpty::ignore);
}

TEST(OverloadFilter, LimitsAreTheMostThatIsStillTaken) {
  test::expect_keeps(*make_overload({.max_in_flight = 2}),
                     {{"in flight", {{.in_flight = 1}, {.in_flight = 2}, {.in_flight = 3}}, {0, 1}}});
  test::expect_keeps(*make_overload({.max_waiting = 2}),
                     {{"waiting", {waits(3), waits(2), {.in_flight = 99}}, {1, 2}}});
  test::expect_keeps(*make_overload({.max_kv_usage = 0.5}),
                     {{"KV cache", {uses(0.5f), uses(0.51f), {.in_flight = 99}}, {0, 2}}});
  test::expect_keeps(*make_overload({.max_in_flight = 5, .max_waiting = 2}),
                     {{"any of them drops", {{.in_flight = 6}, waits(3), waits(1)}, {2}}});
}

TEST(OverloadFilter, RelativeIsMeasuredByTheMedian) {
  test::expect_keeps(*make_overload({.relative = 2}), {
      {"idle fleet", {{}, {}, {}}, {0, 1, 2}},
      {"a few on one engine are no overload", {{.in_flight = 2}, {}, {}}, {0, 1, 2}},
      {"one far above", {{.in_flight = 4}, {.in_flight = 11}, {.in_flight = 3}}, {0, 2}},
      {"at the limit", {{.in_flight = 4}, {.in_flight = 10}, {.in_flight = 4}}, {0, 1, 2}},
      {"of two, the busier is measured by the other", {{.in_flight = 10}, {.in_flight = 1}}, {1}},
      {"all alike", {{.in_flight = 90}, {.in_flight = 90}}, {0, 1}},
      {"by weight", {{.in_flight = 30, .weight = 4}, {.in_flight = 4}, {.in_flight = 17}}, {0, 1}},
      {"nobody", {}, {}},
  });
}

}  // namespace
}  // namespace kvgate::routing
