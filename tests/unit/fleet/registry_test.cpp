#include "fleet/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "fleet_fixture.hpp"

namespace kvgate::fleet {
namespace {

using test::card;
using test::spec;

class RegistryTest : public testing::Test {
 protected:
  RegistryTest() {
    registry.on_transition([this](Transition const& t) { told.push_back(t); });
  }
  std::shared_ptr<Endpoint> engine(std::size_t i) { return registry.current()->members.at(i).endpoint; }
  std::vector<std::string> models() {
    std::vector<std::string> ids;
    for (auto const& m : registry.current()->models) ids.push_back(m.id);
    return ids;
  }

  Registry registry{test::interner(), test::interner(), 1};
  std::vector<Transition> told;
};

TEST_F(RegistryTest, StartsEmpty) {
  EXPECT_TRUE(registry.current()->members.empty());
  EXPECT_FALSE(registry.current()->joining());
  EXPECT_EQ(registry.current()->find_model("m"), nullptr);
  EXPECT_EQ(registry.current()->only_base_model(), nullptr);
}

TEST_F(RegistryTest, ConfiguredModelsAreServedFromTheStart) {
  registry.set_engines({spec("a", {"m", "n"}), spec("b", {"n"})}, {"later"});
  auto const set = registry.current();
  EXPECT_THAT(models(), testing::ElementsAre("m", "n", "later"));
  EXPECT_FALSE(set->joining());
  auto const* n = set->find_model("n");
  ASSERT_TRUE(n);
  EXPECT_TRUE(n->by_member.at(0) && n->by_member.at(1));
  EXPECT_EQ(n->by_member[0]->card.id, "n");
  EXPECT_TRUE(set->find_model("m")->by_member.at(0));
  EXPECT_FALSE(set->find_model("m")->by_member.at(1));
  EXPECT_THAT(set->find_model("later")->by_member, testing::Each(testing::IsNull()));
}

TEST_F(RegistryTest, GivesDenseIdsForMetrics) {
  registry.set_engines({spec("a", {"m"}), spec("b", {"n"})}, {});
  EXPECT_EQ(engine(0)->metrics_id(), 0u);
  EXPECT_EQ(engine(1)->metrics_id(), 1u);
  EXPECT_EQ(registry.current()->find_model("n")->metrics_id, 1u);
  registry.set_models(*engine(0), {card("x"), card("n")});
  EXPECT_EQ(registry.current()->find_model("n")->metrics_id, 1u);   // as before
}

TEST_F(RegistryTest, LearnsModelsAndForgetsThoseThatWent) {
  registry.set_engines({spec("a"), spec("b")}, {"known"});
  EXPECT_TRUE(registry.current()->joining());
  registry.set_models(*engine(0), {card("m")});
  EXPECT_TRUE(registry.current()->joining());
  registry.set_models(*engine(1), {card("n")});
  EXPECT_FALSE(registry.current()->joining());
  EXPECT_THAT(models(), testing::ElementsAre("m", "n", "known"));
  registry.set_models(*engine(0), {card("n")});
  EXPECT_THAT(models(), testing::ElementsAre("n", "known"));
  registry.set_models(*engine(0), {});
  registry.set_models(*engine(1), {});
  EXPECT_THAT(models(), testing::ElementsAre("known"));
  EXPECT_FALSE(registry.current()->joining());
}

TEST_F(RegistryTest, AnEngineThatTellsNoModelsHasTold) {
  registry.set_engines({spec("a")}, {});
  registry.set_models(*engine(0), {});
  EXPECT_FALSE(registry.current()->joining());
}

TEST_F(RegistryTest, PublishesOnlyWhatChanged) {
  registry.set_engines({spec("a")}, {});
  registry.set_models(*engine(0), {card("m")});
  auto const before = registry.current();
  registry.set_models(*engine(0), {card("m")});
  EXPECT_EQ(registry.current(), before);
  registry.set_models(*engine(0), {card("m"), card("n")});
  EXPECT_NE(registry.current(), before);
  EXPECT_EQ(before->find_model("n"), nullptr);   // readers keep what they have
}

TEST_F(RegistryTest, IgnoresModelsOfAStranger) {
  registry.set_engines({spec("a")}, {});
  auto const before = registry.current();
  registry.set_models(*test::endpoint(spec("a")), {card("m")});   // same URL, another generation
  EXPECT_EQ(registry.current(), before);
}

TEST_F(RegistryTest, TurnsSurviveRefreshes) {
  registry.set_engines({spec("a")}, {});
  registry.set_models(*engine(0), {card("m")});
  registry.current()->find_model("m")->by_member[0]->last_pick->store(77);
  registry.set_models(*engine(0), {card("n"), card("m")});
  EXPECT_EQ(registry.current()->find_model("m")->by_member[0]->last_pick->load(), 77u);
  registry.set_models(*engine(0), {});
  registry.set_models(*engine(0), {card("m")});
  EXPECT_EQ(registry.current()->find_model("m")->by_member[0]->last_pick->load(), 77u);
}

TEST_F(RegistryTest, TurnsStartAtRandomBelowEveryPick) {
  std::set<std::size_t> first;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Registry fresh(test::interner(), test::interner(), seed * 1000);
    fresh.set_engines({spec("a", {"m"}), spec("b", {"m"}), spec("c", {"m"})}, {});
    auto const set = fresh.current();
    auto const& served = set->find_model("m")->by_member;
    auto const oldest = std::ranges::min_element(served, {}, [](auto const& s) { return s->last_pick->load(); });
    first.insert(static_cast<std::size_t>(oldest - served.begin()));
    for (auto const& s : served) EXPECT_LT(s->last_pick->load(), fresh.next_pick());
  }
  EXPECT_EQ(first.size(), 3u);
}

TEST_F(RegistryTest, TheSameModelTwiceFromOneEngineIsOne) {
  registry.set_engines({spec("a")}, {});
  registry.set_models(*engine(0), {card("m"), card("m")});
  EXPECT_THAT(models(), testing::ElementsAre("m"));
}

struct HealthCase {
  Health from, to;
  bool changes;
};

TEST_F(RegistryTest, TellsEveryChangeOfHealthOnce) {
  auto const unknown = Health::unknown, up = Health::up, suspect = Health::suspect, down = Health::down;
  HealthCase const cases[] = {
      {unknown, up, true},   {unknown, suspect, true}, {unknown, down, true},  {up, up, false},
      {up, suspect, true},   {up, down, true},         {suspect, up, true},    {suspect, suspect, false},
      {suspect, down, true}, {down, up, true},         {down, suspect, false}, {down, down, false},
  };
  for (auto const& c : cases) {
    auto const target = test::endpoint(spec("a"));
    registry.set_health(target, c.from, "set_up");
    told.clear();
    registry.set_health(target, c.to, "why");
    EXPECT_EQ(target->health(), c.changes ? c.to : c.from);
    ASSERT_EQ(told.size(), c.changes ? 1u : 0u) << static_cast<int>(c.from) << " to " << static_cast<int>(c.to);
    if (!c.changes) continue;
    EXPECT_EQ(told[0].endpoint, target);
    EXPECT_EQ(told[0].from, c.from);
    EXPECT_EQ(told[0].to, c.to);
    EXPECT_EQ(told[0].reason, "why");
  }
}

TEST(RegistryThreads, TransitionsFormOneChain) {
  Registry registry(test::interner(), test::interner(), 1);
  auto const target = test::endpoint(spec("a"));
  std::atomic<int> ups{0}, downs{0};
  registry.on_transition([&](Transition const& t) { ++(t.to == Health::up ? ups : downs); });
  auto const flip = [&] {
    for (int i = 0; i < 5000; ++i) registry.set_health(target, i % 2 ? Health::up : Health::down, "flip");
  };
  std::thread a(flip), b(flip);
  a.join();
  b.join();
  // From unknown to down, then up and down in turn.
  EXPECT_EQ(downs - ups, target->health() == Health::down ? 1 : 0);
}

TEST(RegistryThreads, PicksAreDistinct) {
  Registry registry(test::interner(), test::interner(), 1);
  std::vector<std::uint64_t> picks[2];
  auto const take = [&](auto& into) { for (int i = 0; i < 5000; ++i) into.push_back(registry.next_pick()); };
  std::thread a([&] { take(picks[0]); }), b([&] { take(picks[1]); });
  a.join();
  b.join();
  std::set<std::uint64_t> all(picks[0].begin(), picks[0].end());
  all.insert(picks[1].begin(), picks[1].end());
  EXPECT_EQ(all.size(), 10'000u);
}

}  // namespace
}  // namespace kvgate::fleet
