#include <gtest/gtest.h>

#include <algorithm>

#include "routing/policies/policies.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

Choice pick(RoutingPolicy const& policy, std::string_view key, std::span<Candidate const> candidates) {
  test::Context context;
  if (!key.empty()) context.keys.session = key;
  return policy.pick(context.context, candidates);
}

/// Row of the engine that gets the key.
std::size_t engine_of(RoutingPolicy const& policy, std::string_view key, test::Candidates& candidates) {
  return candidates.row_of(candidates.list()[*pick(policy, key, candidates.list()).index]);
}

std::vector<std::size_t> engines_of(RoutingPolicy const& policy, std::size_t keys, test::Candidates& candidates) {
  std::vector<std::size_t> engines;
  for (std::size_t i = 0; i < keys; ++i) engines.push_back(engine_of(policy, "user-" + std::to_string(i), candidates));
  return engines;
}

void remove(test::Candidates& candidates, std::size_t row) {
  std::erase_if(candidates.list(), [&](Candidate const& c) { return candidates.row_of(c) == row; });
}

TEST(Session, AbstainsWithoutAKey) {
  for (auto const* ring : {"bounded", "uhashring"}) {
    auto const policy = make_session({.ring = ring});
    test::Candidates candidates({{}, {}});
    auto const choice = pick(*policy, {}, candidates.list());
    EXPECT_FALSE(choice.index) << ring;
    EXPECT_EQ(choice.why.code, "no_session") << ring;
    EXPECT_EQ(policy->name(), "session") << ring;
    EXPECT_FALSE(policy->always_picks()) << ring;
  }
}

TEST(Session, KeepsItsEngineWhateverTheOrderOfTheCandidates) {
  for (auto const* ring : {"bounded", "uhashring"}) {
    auto const policy = make_session({.ring = ring});
    test::Candidates candidates(std::vector<test::Row>(8));
    auto const before = engines_of(*policy, 500, candidates);
    std::ranges::reverse(candidates.list());
    EXPECT_EQ(engines_of(*policy, 500, candidates), before) << ring;
  }
}

TEST(Session, OnlyTheKeysOfAnEngineThatLeavesMove) {
  for (auto const* ring : {"bounded", "uhashring"}) {
    auto const policy = make_session({.ring = ring});
    test::Candidates candidates(std::vector<test::Row>(8));
    auto const before = engines_of(*policy, 2000, candidates);
    remove(candidates, 3);
    auto const after = engines_of(*policy, 2000, candidates);
    std::vector<int> inherited(8);
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i] == 3) {
        ++inherited[after[i]];
      } else {
        ASSERT_EQ(after[i], before[i]) << ring;
      }
    }
    for (std::size_t e : {0, 1, 2, 4, 5, 6, 7}) EXPECT_GT(inherited[e], 5) << ring << ' ' << e;
  }
}

// A new version must not send every session elsewhere.
TEST(Session, BoundedPlacesAreTheSameInEveryProcessAndVersion) {
  auto const policy = make_session({});
  test::Candidates candidates(std::vector<test::Row>(8));
  EXPECT_EQ(engines_of(*policy, 12, candidates), (std::vector<std::size_t>{4, 0, 7, 2, 6, 1, 1, 1, 5, 5, 5, 6}));
}

TEST(Session, BoundedSharesAreTheWeights) {
  auto const policy = make_session({});
  test::Candidates candidates({{.weight = 1}, {.weight = 2}, {.weight = 5}});
  std::vector<int> keys(3);
  for (auto engine : engines_of(*policy, 16'000, candidates)) ++keys[engine];
  EXPECT_NEAR(keys[0], 2000, 200);
  EXPECT_NEAR(keys[1], 4000, 300);
  EXPECT_NEAR(keys[2], 10'000, 400);
}

TEST(Session, AFullEnginePassesTheKeyOnAndTakesItBack) {
  auto const policy = make_session({.bound = 1.25});
  test::Candidates candidates(std::vector<test::Row>(4, {.in_flight = 8}));
  auto& list = candidates.list();
  auto const home = *pick(*policy, "user-1", list).index;
  EXPECT_EQ(pick(*policy, "user-1", list).why.code, "session_home");

  list[home].load.in_flight = 11;   // 36 with the new one: 11.25 each, rounded up
  EXPECT_EQ(*pick(*policy, "user-1", list).index, home);
  list[home].load.in_flight = 13;   // 38: 11.9, rounded up
  auto const passed = pick(*policy, "user-1", list);
  auto const second = *passed.index;
  EXPECT_NE(second, home);
  EXPECT_EQ(passed.why.code, "session_home_full");
  EXPECT_EQ(passed.why.got, 13);
  EXPECT_EQ(passed.why.wanted, 12);

  list[home].load.in_flight = 20;
  list[second].load.in_flight = 20;   // 57: 17.8, rounded up
  auto const third = *pick(*policy, "user-1", list).index;
  EXPECT_NE(third, home);
  EXPECT_NE(third, second);

  list[second].load.in_flight = 8;
  EXPECT_EQ(*pick(*policy, "user-1", list).index, second);
  list[home].load.in_flight = 8;
  EXPECT_EQ(*pick(*policy, "user-1", list).index, home);
}

TEST(Session, FullMeansMoreThanTheShareByWeight) {
  struct {
    char const* name;
    double bound;
    std::vector<test::Row> rows;
    bool full;   ///< the first engine
  } const cases[] = {
      {"idle fleet", 1.25, {{}, {}}, false},
      {"as the others", 1.25, {{.in_flight = 4}, {.in_flight = 4}}, false},
      {"above", 1.25, {{.in_flight = 6}, {.in_flight = 2}}, true},
      {"above, looser bound", 2, {{.in_flight = 6}, {.in_flight = 2}}, false},
      {"three times the weight", 1.25, {{.in_flight = 6, .weight = 3}, {.in_flight = 2}}, false},
      {"alone", 1.25, {{.in_flight = 100}}, false},
      {"so few that it is no load", 1.25, {{.in_flight = 3}, {}, {}, {}}, false},
      {"one more", 1.25, {{.in_flight = 4}, {}, {}, {}}, true},
      {"tightest bound", 1, {{.in_flight = 1}, {.in_flight = 1}, {.in_flight = 1}}, false},
  };
  for (auto const& c : cases) {
    auto const policy = make_session({.bound = c.bound});
    test::Candidates candidates(c.rows);
    bool passed_on = false;
    for (int i = 0; i < 50; ++i) {
      auto const choice = pick(*policy, "user-" + std::to_string(i), candidates.list());
      if (choice.why.code == "session_home_full") passed_on = true;
    }
    EXPECT_EQ(passed_on, c.full) << c.name;
  }
}

TEST(Session, NoEngineGetsMoreThanTheBoundWhenEveryKeyIsTheSame) {
  auto const policy = make_session({.bound = 1.25});
  test::Candidates candidates(std::vector<test::Row>(4));
  for (int i = 0; i < 400; ++i) ++candidates.list()[*pick(*policy, "hot", candidates.list()).index].load.in_flight;
  for (auto const& c : candidates.list()) EXPECT_LE(c.load.in_flight, 125u);
}

// What HashRing(nodes=urls).get_node(key) of uhashring 2.3 gives.
TEST(Session, UhashringAgreesWithTheOtherRouter) {
  constexpr char const* kKeys[] = {
      "user-1", "user-2", "user-3", "42", "a", "session/with spaces", "\u00e9t\u00e9",
      "0123456789abcdef0123456789abcdef",
      "user-1094",                                          // behind the last point of one engine of two
      "user-53",                                            // behind the last point of most
      "http://engine-0:8000-0", "http://engine-0:8000-7",   // exactly at a point
  };
  struct {
    std::size_t engines;
    std::vector<std::size_t> picked;
  } const cases[] = {
      {1, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
      {2, {1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1}},
      {3, {1, 1, 2, 0, 2, 2, 0, 1, 0, 1, 2, 1}},
      {8, {1, 1, 4, 5, 4, 5, 0, 3, 7, 5, 3, 1}},
      {64, {61, 1, 40, 5, 34, 49, 44, 24, 61, 5, 3, 38}},
  };
  auto const policy = make_session({.ring = "uhashring"});
  for (auto const& c : cases) {
    test::Candidates candidates(std::vector<test::Row>(c.engines));
    for (std::size_t k = 0; k < std::size(kKeys); ++k)
      EXPECT_EQ(engine_of(*policy, kKeys[k], candidates), c.picked[k]) << c.engines << ' ' << kKeys[k];
  }
}

TEST(Session, UhashringLooksAtNeitherLoadNorWeight) {
  auto const policy = make_session({.ring = "uhashring"});
  test::Candidates idle({{}, {}, {}});
  test::Candidates busy({{.in_flight = 900}, {.weight = 9}, {.in_flight = 50, .weight = 0.1}});
  EXPECT_EQ(engines_of(*policy, 300, busy), engines_of(*policy, 300, idle));
}

}  // namespace
}  // namespace kvgate::routing
