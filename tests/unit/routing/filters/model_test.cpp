#include <gtest/gtest.h>

#include "routing/filters/filters.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

TEST(ModelFilter, KeepsTheEnginesThatServeTheModel) {
  auto const filter = make_model();
  test::expect_keeps(*filter, {
      {"all", {{}, {}}, {0, 1}},
      {"some, in order", {{}, {.served = false}, {}}, {0, 2}},
      {"none", {{.served = false}}, {}},
      {"health does not count", {{.health = fleet::Health::down}}, {0}},
  });
  EXPECT_EQ(filter->name(), "model");
  EXPECT_EQ(filter->on_empty(), OnEmpty::refuse);
}

}  // namespace
}  // namespace kvgate::routing
