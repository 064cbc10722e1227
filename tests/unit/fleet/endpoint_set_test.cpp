#include "fleet/endpoint_set.hpp"

#include <gtest/gtest.h>

#include "fleet_fixture.hpp"

namespace kvgate::fleet {
namespace {

using test::card;

struct BaseCase {
  char const* name;
  std::vector<openai::ModelCard> on_a, on_b;
  std::vector<std::string> known;
  char const* only;   ///< "": none, or more than one
};

TEST(EndpointSet, FindsTheOnlyBaseModel) {
  BaseCase const cases[] = {
      {"one", {card("m")}, {card("m")}, {}, "m"},
      {"one with adapters", {card("lora", "m"), card("m")}, {card("m"), card("other", "m")}, {}, "m"},
      {"two", {card("m")}, {card("n")}, {}, ""},
      {"two on one engine", {card("m"), card("n")}, {}, {}, ""},
      {"none", {}, {}, {}, ""},
      {"only adapters", {card("lora", "m")}, {}, {}, ""},
      {"known but not served", {}, {}, {"m"}, ""},
      {"another is known but not served", {card("m")}, {}, {"n"}, "m"},
      {"an adapter on one engine is no base model", {card("m"), card("x")}, {card("x", "m")}, {}, "m"},
  };
  for (auto const& c : cases) {
    Registry registry(test::interner(), test::interner(), 1);
    registry.set_engines({test::spec("a"), test::spec("b")}, c.known);
    registry.set_models(*registry.current()->members[0].endpoint, c.on_a);
    registry.set_models(*registry.current()->members[1].endpoint, c.on_b);
    auto const set = registry.current();
    auto const* only = set->only_base_model();
    EXPECT_EQ(only ? only->id : "", c.only) << c.name;
  }
}

TEST(EndpointSet, FindsModelsByTheirExactId) {
  Registry registry(test::interner(), test::interner(), 1);
  registry.set_engines({test::spec("a", {"org/Model"})}, {});
  auto const set = registry.current();
  EXPECT_TRUE(set->find_model("org/Model"));
  for (auto const* other : {"", "org/model", "org/Mode", "org/Model ", "Model"}) EXPECT_FALSE(set->find_model(other));
}

TEST(EndpointSet, IsJoiningUntilEveryEngineThatMayBeUpHasTold) {
  EndpointSet set;
  EXPECT_FALSE(set.joining());
  set.members.resize(2);
  for (auto& member : set.members) member.endpoint = test::endpoint(test::spec("e"));
  set.members[0].models_known = true;
  EXPECT_TRUE(set.joining());
  auto health = Health::unknown;
  ASSERT_TRUE(set.members[1].endpoint->change_health(health, Health::down));
  EXPECT_FALSE(set.joining());   // one that is away for good must not make every typing error look temporary
  health = Health::down;
  ASSERT_TRUE(set.members[1].endpoint->change_health(health, Health::up));
  EXPECT_TRUE(set.joining());
  set.members[1].models_known = true;
  EXPECT_FALSE(set.joining());
}

}  // namespace
}  // namespace kvgate::fleet
