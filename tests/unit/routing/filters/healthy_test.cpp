#include <gtest/gtest.h>

#include "routing/filters/filters.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

using fleet::Health;

TEST(HealthyFilter, KeepsWhatIsUpOrNotProbedYet) {
  auto const filter = make_healthy();
  test::expect_keeps(*filter, {
      {"one of each",
       {{.health = Health::unknown}, {.health = Health::up}, {.health = Health::suspect}, {.health = Health::down}},
       {0, 1}},
      {"none", {{.health = Health::suspect}, {.health = Health::down}}, {}},
      {"load does not count", {{.in_flight = 1000}}, {0}},
  });
  EXPECT_EQ(filter->name(), "healthy");
  EXPECT_EQ(filter->on_empty(), OnEmpty::refuse);
}

}  // namespace
}  // namespace kvgate::routing
