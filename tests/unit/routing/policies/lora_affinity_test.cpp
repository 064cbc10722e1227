#include <gtest/gtest.h>

#include "routing/policies/policies.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

using fleet::Adapter;

TEST(LoraAffinity, PicksWhoHoldsTheAdapterThenWhoHasRoom) {
  auto const policy = make_lora_affinity();
  test::expect_picks(*policy, {
      {"loaded, although busier", {{.adapter = Adapter::room}, {.in_flight = 9, .adapter = Adapter::loaded}}, 1},
      {"least loaded of those that hold it",
       {{.in_flight = 3, .adapter = Adapter::loaded}, {}, {.in_flight = 2, .adapter = Adapter::loaded}}, 2},
      {"by weight",
       {{.in_flight = 3, .adapter = Adapter::loaded}, {.in_flight = 5, .weight = 2, .adapter = Adapter::loaded}}, 1},
      {"room", {{.adapter = Adapter::full}, {.in_flight = 4, .adapter = Adapter::room}}, 1},
      {"room is better than not known", {{}, {.in_flight = 4, .adapter = Adapter::room}}, 1},
      {"tie: the one picked longest ago",
       {{.last_pick = 9, .adapter = Adapter::room}, {.last_pick = 8, .adapter = Adapter::room}}, 1},
  });
  EXPECT_EQ(policy->name(), "lora_affinity");
  EXPECT_FALSE(policy->always_picks());
  EXPECT_TRUE(policy->needs().has(Signal::lora));
}

struct Abstention {
  char const* name;
  std::vector<test::Row> rows;
  std::string_view why;
};

TEST(LoraAffinity, AbstainsWhenNobodyIsBetterThanTheOthers) {
  Abstention const cases[] = {
      {"base model", {{}, {}}, "adapter_not_known"},
      {"full everywhere", {{.adapter = Adapter::full}, {.adapter = Adapter::full}}, "adapter_nowhere"},
      {"full or not known", {{.adapter = Adapter::full}, {}}, "adapter_nowhere"},
  };
  for (auto const& c : cases) {
    test::Context context;
    test::Candidates candidates(c.rows);
    auto const choice = make_lora_affinity()->pick(context.context, candidates.list());
    EXPECT_FALSE(choice.index) << c.name;
    EXPECT_EQ(choice.why.code, c.why) << c.name;
  }
}

}  // namespace
}  // namespace kvgate::routing
