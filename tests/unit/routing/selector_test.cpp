#include "routing/selector.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <thread>

#include "base/random.hpp"
#include "candidates.hpp"

namespace kvgate::routing {
namespace {

using fleet::Health;
using fleet::test::spec;

class SelectorTest : public testing::Test {
 protected:
  void start(std::vector<EngineSpec> engines) { registry.set_engines(std::move(engines), {"nobody-has-it"}); }
  Plans plan_of(std::string policy) {
    std::string const policies[] = {std::move(policy)};
    std::string const filters[] = {"model", "healthy", "capacity"};
    return Plans(make_plan(policies, filters));
  }
  Selection select(Selector& selector, char const* model, std::span<fleet::Endpoint const* const> tried = {}) {
    auto const set = registry.current();
    return selector.select(context.context, {*set, model ? set->find_model(model) : nullptr, tried});
  }
  std::shared_ptr<fleet::Endpoint> engine(std::size_t i) { return registry.current()->members.at(i).endpoint; }

  fleet::Registry registry{fleet::test::interner(), fleet::test::interner(), 1};
  test::Context context;
};

TEST_F(SelectorTest, ChoosesAndCounts) {
  start({spec("a", {"m"}), spec("b", {"n"})});
  auto const plan = plan_of("least_loaded");
  Selector selector(registry, plan);
  std::string const prompt(400, 'x');
  context.view.prompt = prompt;
  {
    auto const selection = select(selector, "n");
    EXPECT_EQ(selection.decision.endpoint, engine(1));
    EXPECT_EQ(selection.decision.served->card.id, "n");
    EXPECT_EQ(selection.decision.policy, "least_loaded");
    EXPECT_EQ(selection.decision.prompt_tokens, 100u);
    EXPECT_EQ(selection.lease.endpoint(), engine(1).get());
    EXPECT_EQ(engine(1)->load().in_flight, 1u);
    EXPECT_EQ(engine(1)->load().prefill_tokens, 100u);
  }
  EXPECT_EQ(engine(1)->load().in_flight, 0u);
}

TEST_F(SelectorTest, ABurstSpreadsOverAnIdleFleet) {
  start({spec("a", {"m"}), spec("b", {"m"}), spec("c", {"m"})});
  auto const plan = plan_of("least_loaded");
  Selector selector(registry, plan);
  std::vector<Selection> burst;
  for (int i = 0; i < 30; ++i) burst.push_back(select(selector, "m"));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(engine(i)->load().in_flight, 10u);
}

TEST_F(SelectorTest, SaysWhichFilterRefused) {
  auto limited = spec("a", {"m"});
  limited.max_concurrent = 1;
  start({limited, spec("b", {"n"})});
  auto const plan = plan_of("round_robin");
  Selector selector(registry, plan);
  auto const held = select(selector, "m");
  EXPECT_TRUE(held.lease);
  auto const full = select(selector, "m");
  EXPECT_EQ(full.decision.policy, "capacity");
  EXPECT_FALSE(full.decision.endpoint);
  EXPECT_FALSE(full.lease);
  registry.set_health(engine(1), Health::down, "test");
  EXPECT_EQ(select(selector, "n").decision.policy, "healthy");
  EXPECT_EQ(select(selector, "nobody-has-it").decision.policy, "model");
}

TEST_F(SelectorTest, LeavesOutWhatWasTried) {
  start({spec("a", {"m"}), spec("b", {"m"})});
  auto const plan = plan_of("round_robin");
  Selector selector(registry, plan);
  fleet::Endpoint const* const tried[] = {engine(0).get(), engine(1).get()};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(select(selector, "m", std::span(tried).first(1)).decision.endpoint, engine(1));
  EXPECT_FALSE(select(selector, "m", tried).decision.endpoint);
}

TEST_F(SelectorTest, WithoutAModelAnyEngineWillDo) {
  start({spec("a", {"m"}), spec("b")});
  auto const plan = plan_of("least_loaded");
  Selector selector(registry, plan);
  auto const first = select(selector, nullptr), second = select(selector, nullptr);
  EXPECT_TRUE(first.decision.endpoint && second.decision.endpoint);
  EXPECT_NE(first.decision.endpoint, second.decision.endpoint);
  ASSERT_TRUE(first.decision.served);
  EXPECT_TRUE(first.decision.served->card.id.empty());
}

TEST_F(SelectorTest, RoundRobinIsExactPerModel) {
  start({spec("a", {"m", "n"}), spec("b", {"m", "n"}), spec("c", {"m"})});
  auto const plan = plan_of("round_robin");
  Selector selector(registry, plan);
  std::map<std::string, std::map<fleet::Endpoint const*, int>> picks;
  for (int i = 0; i < 600; ++i) {
    ++picks["m"][select(selector, "m").decision.endpoint.get()];
    ++picks["n"][select(selector, "n").decision.endpoint.get()];
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(picks["m"][engine(i).get()], 200);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(picks["n"][engine(i).get()], 300);
}

/// Prefix knowledge: what decisions make the gate believe.
class BeliefTest : public SelectorTest {
 protected:
  BeliefTest() { start({spec("a", {"m"}), spec("b", {"m"}), spec("c", {"m"})}); }
  Selection ask(std::string const& text) {
    asked.push_back(std::make_unique<test::Context>(text));
    auto const set = registry.current();
    return selector.select(asked.back()->context, {*set, set->find_model("m")});
  }
  /// To the end, with an answer.
  fleet::Endpoint const* serve(std::string const& text, Outcome const& outcome = {.status = 200, .first_byte = Clock::duration(1)}) {
    auto const selection = ask(text);
    Selector::finished(selection.decision, outcome);
    return selection.decision.endpoint.get();
  }
  static std::string text(char letter, std::size_t size = 4000) { return std::string(size, letter); }

  Plans const plans = plan_of("prefix_affinity");
  Selector selector{registry, plans};
  std::vector<std::unique_ptr<test::Context>> asked;   // decisions point into them
};

TEST_F(BeliefTest, APromptGoesBackToWhereItIsCached) {
  std::map<char, fleet::Endpoint const*> homes;
  for (char c = 'a'; c < 'm'; ++c) homes[c] = serve(text(c));
  std::map<fleet::Endpoint const*, int> share;
  for (auto const& [c, home] : homes) ++share[home];
  for (auto const& [home, n] : share) EXPECT_EQ(n, 4) << "misses take turns";
  for (int round = 0; round < 3; ++round)
    for (auto const& [c, home] : homes) EXPECT_EQ(serve(text(c) + text('z', 300 * (round + 1))), home) << c;
}

TEST_F(BeliefTest, ABurstSeesItsOwnReservations) {
  std::vector<Selection> burst;
  std::map<fleet::Endpoint const*, int> share;
  for (int i = 0; i < 99; ++i) {
    burst.push_back(ask(text('q')));
    ++share[burst.back().decision.endpoint.get()];
  }
  for (auto const& [engine, n] : share) EXPECT_LT(n, 99 * 2 / 3) << "nobody drowns";
  for (auto& one : burst) one.lease = {};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(engine(i)->load().prefill_tokens, 0u);
}

TEST_F(BeliefTest, WhatIsComputedByNowDoesNotWait) {
  for (std::size_t i = 0; i < 3; ++i)
    for (int n = 0; n < 64; ++n) engine(i)->prefill_rate().learn(1000 + n, std::chrono::milliseconds(1000 + n));
  auto const running = ask(text('p'));   // its answer comes in one piece: no first byte tells that it is computed
  auto const left_at = [&](std::chrono::seconds later) {
    test::Context question(text('x'));
    question.context.now = asked.front()->context.now + later;
    auto const set = registry.current();
    Trace trace;
    selector.explain(question.context, {*set, set->find_model("m")}, trace);
    double left = 0;
    for (auto const& c : selector.field()) left += c.prefill_left;
    return left;
  };
  EXPECT_NEAR(left_at(std::chrono::seconds(0)), 1000, 30);
  EXPECT_NEAR(left_at(std::chrono::seconds(1)), 0, 30);
  EXPECT_EQ(left_at(std::chrono::seconds(60)), 0);
  EXPECT_GT(running.decision.endpoint->load().prefill_tokens, 900u);
}

TEST_F(BeliefTest, OnlyWhatIsNotCachedIsReserved) {
  auto const home = serve(text('h'));
  auto const again = ask(text('h') + text('n', 800));
  EXPECT_EQ(again.decision.endpoint.get(), home);
  EXPECT_NEAR(static_cast<double>(again.decision.endpoint->load().prefill_tokens), 200, 20);
  EXPECT_EQ(again.decision.prompt_tokens - again.decision.cached_tokens, again.decision.endpoint->load().prefill_tokens);
}

TEST_F(BeliefTest, WhatWasNeverComputedIsForgotten) {
  struct Case {
    char const* name;
    Outcome outcome;
  };
  Case const cases[] = {{"lost", {.lost = true}},
                        {"the client left before the first byte", {.aborted = true}},
                        {"refused", {.status = 400, .first_byte = Clock::duration(1)}}};
  char letter = 'a';
  for (auto const& c : cases) {
    auto const where = serve(text(++letter), c.outcome);
    prefix::CachedBlocks const* const cache[] = {&where->cached_blocks()};
    std::uint32_t known = 99;
    prefix::CachedBlocks::longest_prefixes(cache, asked.back()->prompt.blocks(), std::span(&known, 1));
    EXPECT_EQ(known, 0u) << c.name;
  }
}

TEST_F(BeliefTest, ARestartedEngineIsBelievedEmpty) {
  auto const home = serve(text('r'));
  auto const set = registry.current();
  for (auto const& member : set->members) {
    if (member.endpoint.get() != home) continue;
    registry.set_stats(member.endpoint, {{.started = 1000.0, .taken = Clock::time_point(std::chrono::hours(1))}, {}});
    registry.set_stats(member.endpoint, {{.started = 2000.0, .taken = Clock::time_point(std::chrono::hours(2))}, {}});
  }
  EXPECT_EQ(ask(text('r')).decision.cached_tokens, 0u);
}

TEST_F(BeliefTest, ExplainingChangesNothing) {
  auto const home = serve(text('e'));
  test::Context question(text('x'));
  auto const set = registry.current();
  Trace trace;
  for (int i = 0; i < 50; ++i) selector.explain(question.context, {*set, set->find_model("m")}, trace);
  EXPECT_EQ(ask(text('x')).decision.cached_tokens, 0u);
  EXPECT_EQ(serve(text('e')), home);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(engine(i)->load().in_flight, 0u);
}

/// Keeps what it was shown.
class Observer final : public RoutingPolicy {
 public:
  explicit Observer(Signals needs) : needs_(needs) {}
  std::string_view name() const noexcept override { return "observer"; }
  Signals needs() const noexcept override { return needs_; }
  Choice pick(RouteContext const&, std::span<Candidate const> candidates) const override {
    seen.assign(candidates.begin(), candidates.end());
    return Choice::of(0, {"first"});
  }

  mutable std::vector<Candidate> seen;

 private:
  Signals needs_;
};

class ReportedTest : public SelectorTest {
 protected:
  ReportedTest() {
    start({spec("a"), spec("b")});
    for (std::size_t i : {0, 1}) {
      registry.set_models(*engine(i), {fleet::test::card("m"), fleet::test::card("adapter", "m")});
    }
    context.context.now = kNow;
  }
  std::vector<Candidate> seen(char const* model, Signals needs = {}) {
    Plan plan;
    plan.policies.push_back(std::make_unique<Observer const>(needs));
    plan.needs = needs;
    Plans const plans(std::move(plan));
    Selector selector(registry, plans, std::chrono::seconds(15));
    select(selector, model);
    return static_cast<Observer const&>(*plans.of("m").policies[0]).seen;
  }
  void tell(std::size_t i, std::chrono::seconds ago, fleet::Adapters adapters = {}) {
    fleet::EngineGauges const gauges{.running = 3, .waiting = 1, .kv_usage = .5f, .taken = kNow - ago};
    registry.set_stats(engine(i), {gauges, std::move(adapters)});
  }

  static constexpr Clock::time_point kNow{std::chrono::seconds(1000)};
};

TEST_F(ReportedTest, DecisionsSeeWhatTheEngineSaidWithItsAge) {
  tell(0, std::chrono::seconds(4));
  auto const candidates = seen("m");
  ASSERT_TRUE(candidates[0].reported);
  EXPECT_EQ(candidates[0].reported->running, 3u);
  EXPECT_EQ(candidates[0].reported->waiting, 1u);
  EXPECT_EQ(candidates[0].reported->kv_usage, .5f);
  EXPECT_EQ(candidates[0].reported->age, std::chrono::seconds(4));
  EXPECT_FALSE(candidates[1].reported) << "never told: unknown, not idle";
  tell(0, std::chrono::seconds(16));
  EXPECT_FALSE(seen("m")[0].reported) << "stale";
}

TEST_F(ReportedTest, AdaptersAreReadForAdaptersWhenThePlanAsks) {
  using fleet::Adapter;
  tell(0, std::chrono::seconds(0), {{"adapter"}, {}, 1});
  tell(1, std::chrono::seconds(0), {{"other"}, {}, 1});
  auto const lora = Signals().add(Signal::lora);
  EXPECT_EQ(seen("adapter", lora)[0].adapter, Adapter::loaded);
  EXPECT_EQ(seen("adapter", lora)[1].adapter, Adapter::full);
  EXPECT_EQ(seen("adapter")[0].adapter, Adapter::not_known);
  EXPECT_EQ(seen("m", lora)[0].adapter, Adapter::not_known);
  EXPECT_EQ(seen(nullptr, lora)[0].adapter, Adapter::not_known);
  tell(0, std::chrono::seconds(16), {{"adapter"}, {}, 1});
  EXPECT_EQ(seen("adapter", lora)[0].adapter, Adapter::not_known);
}

TEST_F(SelectorTest, TwoWorkersTogetherAreFairWithinOnePercent) {
  start({spec("a", {"m"}), spec("b", {"m"}), spec("c", {"m"}), spec("d", {"m"})});
  auto const plan = plan_of("round_robin");
  constexpr int kEach = 40'000;
  std::map<fleet::Endpoint const*, int> picks[2];
  auto const work = [&](std::size_t worker) {
    Selector selector(registry, plan);
    test::Context own;
    auto const set = registry.current();
    Random random(worker);
    for (int i = 0; i < kEach; ++i) {
      ++picks[worker][selector.select(own.context, {*set, set->find_model("m"), {}}).decision.endpoint.get()];
      // Serving a request takes a while, and not always the same: far more than this microsecond.
      for (auto n = random.next() % 1024; n > 0; --n) random.next();
    }
  };
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
  for (std::size_t i = 0; i < 4; ++i) {
    auto const share = picks[0][engine(i).get()] + picks[1][engine(i).get()];
    EXPECT_NEAR(share, 2 * kEach / 4, 2 * kEach / 4 / 100);
    EXPECT_EQ(engine(i)->load().in_flight, 0u);
  }
}

TEST_F(SelectorTest, WorkersNeverExceedAnEnginesLimit) {
  auto limited = spec("a", {"m"});
  limited.max_concurrent = 2;
  start({limited});
  auto const plan = plan_of("least_loaded");
  std::atomic<int> held{0}, most{0};
  auto const work = [&] {
    Selector selector(registry, plan);
    test::Context own;
    auto const set = registry.current();
    for (int i = 0; i < 10'000; ++i) {
      auto const selection = selector.select(own.context, {*set, set->find_model("m"), {}});
      EXPECT_EQ(static_cast<bool>(selection.lease), selection.decision.endpoint != nullptr);
      if (!selection.lease) continue;
      int const now = ++held;
      for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {}
      --held;
    }
  };
  std::thread threads[] = {std::thread(work), std::thread(work), std::thread(work)};
  for (auto& thread : threads) thread.join();
  EXPECT_LE(most, 2);
  EXPECT_EQ(engine(0)->load().in_flight, 0u);
}

}  // namespace
}  // namespace kvgate::routing
