#include <gtest/gtest.h>

#include "routing/filters/filters.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

using Labels = std::map<std::string, std::string>;

struct Case {
  char const* name;
  Labels match;
  std::string_view subset;
  std::vector<std::size_t> left;
};

TEST(LabelFilter, KeepsTheEnginesThatHaveAllLabels) {
  std::vector<test::Row> const fleet = {
      {.labels = {{"pool", "gold"}, {"zone", "a"}}},
      {.labels = {{"pool", "gold"}, {"zone", "b"}}},
      {.labels = {{"pool", "tin"}, {"zone", "a"}, {"note", ""}, {"expr", "x=y"}}},
      {},
  };
  Case const cases[] = {
      {"nothing asked", {}, "", {0, 1, 2, 3}},
      {"configured", {{"pool", "gold"}}, "", {0, 1}},
      {"configured, two", {{"pool", "gold"}, {"zone", "a"}}, "", {0}},
      {"asked", {}, "zone=a", {0, 2}},
      {"asked, two", {}, "zone=a,pool=tin", {2}},
      {"asked, with blanks", {}, " zone = a ,\tpool=gold", {0}},
      {"configured and asked", {{"pool", "gold"}}, "zone=b", {1}},
      {"asked for what the configuration excludes", {{"pool", "gold"}}, "pool=tin", {}},
      {"nobody has it", {}, "zone=c", {}},
      {"no such label", {}, "rack=1", {}},
      {"letters count", {}, "pool=Gold", {}},
      {"no part of a value", {}, "pool=gol", {}},
      {"two values of one label", {}, "zone=a,zone=b", {}},
      {"empty value", {}, "note=", {2}},
      {"the first = separates", {}, "expr=x=y", {2}},
      {"malformed: no =", {}, "zone", {}},
      {"malformed: no name", {}, "=a", {}},
      {"malformed: comma at the end", {}, "zone=a,", {}},
      {"malformed: comma in front", {}, ",zone=a", {}},
      {"malformed: blank", {}, " ", {}},
  };
  for (auto const& c : cases) {
    auto const filter = make_label({.match = c.match});
    test::Context context;
    context.keys.subset = c.subset;
    test::Candidates candidates(fleet);
    Shortlist shortlist(candidates.list());
    filter->apply(context.context, shortlist);
    EXPECT_EQ(candidates.rows_left(), c.left) << c.name;
    EXPECT_EQ(filter->name(), "label");
    EXPECT_EQ(filter->on_empty(), OnEmpty::refuse);
  }
}

}  // namespace
}  // namespace kvgate::routing
