#include <gtest/gtest.h>

#include "routing/filters/filters.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

TEST(NotSleepingFilter, DropsWhoSaysThatItSleeps) {
  test::Row const asleep{.reported = fleet::Reported{.sleeping = true}};
  test::Row const awake{.reported = fleet::Reported{}};
  auto const filter = make_not_sleeping();
  test::expect_keeps(*filter, {
      {"one of each", {asleep, awake, {}}, {1, 2}},
      {"all asleep", {asleep, asleep}, {}},
      {"nobody reported", {{}, {}}, {0, 1}},
  });
  EXPECT_EQ(filter->name(), "not_sleeping");
  EXPECT_EQ(filter->on_empty(), OnEmpty::refuse);
}

}  // namespace
}  // namespace kvgate::routing
