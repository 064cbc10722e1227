#include <gtest/gtest.h>

#include "routing/filters/filters.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

using fleet::Adapter;

TEST(LoraCapacityFilter, DropsWhoHasNoSlotLeft) {
  auto const filter = make_lora_capacity();
  test::expect_keeps(*filter, {
      {"one of each",
       {{.adapter = Adapter::full}, {.adapter = Adapter::room}, {.adapter = Adapter::loaded}, {}}, {1, 2, 3}},
      {"base model", {{}, {}}, {0, 1}},
      {"full everywhere", {{.adapter = Adapter::full}}, {}},
  });
  EXPECT_EQ(filter->name(), "lora_capacity");
  EXPECT_EQ(filter->on_empty(), OnEmpty::ignore);
  EXPECT_TRUE(filter->needs().has(Signal::lora));
}

}  // namespace
}  // namespace kvgate::routing
