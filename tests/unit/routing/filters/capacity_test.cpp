#include <gtest/gtest.h>

#include "routing/filters/filters.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

TEST(CapacityFilter, KeepsTheEnginesBelowTheirLimit) {
  auto const filter = make_capacity();
  test::expect_keeps(*filter, {
      {"no limit", {{.in_flight = 1000}}, {0}},
      {"below", {{.in_flight = 1, .max_concurrent = 2}}, {0}},
      {"at", {{.in_flight = 2, .max_concurrent = 2}}, {}},
      {"above", {{.in_flight = 3, .max_concurrent = 2}}, {}},
      {"mixed", {{.in_flight = 1, .max_concurrent = 1}, {.in_flight = 1}, {.max_concurrent = 1}}, {1, 2}},
  });
  EXPECT_EQ(filter->name(), "capacity");
  EXPECT_EQ(filter->on_empty(), OnEmpty::refuse);
}

}  // namespace
}  // namespace kvgate::routing
