#include "fleet/lease.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "fleet_fixture.hpp"

namespace kvgate::fleet {
namespace {

std::shared_ptr<Endpoint> engine_with_limit(std::uint32_t max_concurrent) {
  auto spec = test::spec("engine");
  spec.max_concurrent = max_concurrent;
  return test::endpoint(std::move(spec));
}

constexpr Clock::time_point kStart{std::chrono::hours(1)};

std::optional<Lease> take(std::shared_ptr<Endpoint> endpoint, std::uint64_t tokens, Clock::time_point now = kStart) {
  return Lease::take(std::move(endpoint), {tokens, true}, now);
}

void expect_load(Endpoint const& engine, std::uint32_t in_flight, std::uint64_t tokens) {
  EXPECT_EQ(engine.load().in_flight, in_flight);
  EXPECT_EQ(engine.load().prefill_tokens, tokens);
}

TEST(Lease, CountsUntilItGoes) {
  auto const engine = engine_with_limit(0);
  {
    auto const a = take(engine, 100);
    auto b = take(engine, 20);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->endpoint(), engine.get());
    expect_load(*engine, 2, 120);
    b->prefill_done(kStart);
    b->prefill_done(kStart);
    expect_load(*engine, 2, 100);
  }
  expect_load(*engine, 0, 0);
}

TEST(Lease, RefusesOverTheLimit) {
  auto const engine = engine_with_limit(2);
  auto a = take(engine, 1), b = take(engine, 1);
  EXPECT_TRUE(a && b);
  EXPECT_FALSE(take(engine, 1));
  expect_load(*engine, 2, 2);
  a.reset();
  EXPECT_TRUE(take(engine, 1));
  expect_load(*engine, 1, 1);
}

TEST(Lease, MovesWithoutCountingTwice) {
  auto const engine = engine_with_limit(0), other = engine_with_limit(0);
  auto a = take(engine, 5);
  Lease moved(std::move(*a));
  a.reset();
  EXPECT_TRUE(moved);
  expect_load(*engine, 1, 5);
  auto b = take(other, 7);
  moved = std::move(*b);   // gives back what it held
  expect_load(*engine, 0, 0);
  expect_load(*other, 1, 7);
  EXPECT_FALSE(*b);
  moved = Lease();
  expect_load(*other, 0, 0);
}

TEST(Lease, PrefillsOfOneEngineAreTimedOneAfterTheOther) {
  using std::chrono::milliseconds;
  auto const engine = engine_with_limit(0);
  auto a = take(engine, 100, kStart);
  auto b = take(engine, 50, kStart + milliseconds(10));
  EXPECT_EQ(a->prefill_done(kStart + milliseconds(40)), milliseconds(40));
  EXPECT_EQ(a->prefill_done(kStart + milliseconds(45)), milliseconds(0)) << "it is over";
  EXPECT_EQ(b->prefill_done(kStart + milliseconds(60)), milliseconds(20)) << "the time in the queue does not count";
  auto c = take(engine, 10, kStart + milliseconds(100));
  EXPECT_EQ(c->prefill_done(kStart + milliseconds(105)), milliseconds(5)) << "idle time does not count";
}

TEST(Lease, PrefillsQueueUpAtTheKnownSpeed) {
  using std::chrono::milliseconds;
  auto const engine = engine_with_limit(0);
  auto const unknown = take(engine, 100);
  EXPECT_EQ(engine->load().prefill_until, Clock::time_point{}) << "the speed is not known";
  for (int i = 0; i < 64; ++i) engine->prefill_rate().learn(1000 + i, milliseconds(1000 + i));
  ASSERT_NEAR(engine->prefill_rate().tokens_per_second().value_or(0), 1000, 10);
  auto const near = [&](milliseconds until) {
    EXPECT_NEAR(std::chrono::duration<double>(engine->load().prefill_until - kStart).count(), until.count() / 1000.0, 0.01);
  };
  auto const a = take(engine, 200);
  near(milliseconds(200));
  auto const b = take(engine, 300, kStart + milliseconds(50));
  near(milliseconds(500));
  auto const c = take(engine, 100, kStart + milliseconds(900));
  near(milliseconds(1000));
}

TEST(Lease, WhatWaitsForSureIsAllButTheOneWhoseTurnItIs) {
  auto const engine = engine_with_limit(0);
  auto a = take(engine, 100), b = take(engine, 100), c = take(engine, 100);
  EXPECT_EQ(engine->load().prefill_queued, 200u);
  auto const in_one_piece = Lease::take(engine, {1000, false}, kStart);
  EXPECT_EQ(engine->load().prefill_queued, 200u) << "nobody tells when that is computed";
  EXPECT_EQ(engine->load().prefill_tokens, 1300u);
  a->prefill_done(kStart);
  EXPECT_EQ(engine->load().prefill_queued, 100u);
  b.reset();
  EXPECT_EQ(engine->load().prefill_queued, 0u);
}

TEST(Lease, AnAnswerInOnePieceTellsNoPrefill) {
  auto const engine = engine_with_limit(0);
  auto a = Lease::take(engine, {100, false}, kStart);
  EXPECT_EQ(a->prefill_done(kStart + std::chrono::seconds(9)), Clock::duration(0));
  expect_load(*engine, 1, 0);
}

TEST(Lease, KeepsItsEndpointAlive) {
  auto engine = engine_with_limit(0);
  std::weak_ptr<Endpoint> const watch = engine;
  auto lease = take(std::move(engine), 1);
  EXPECT_FALSE(watch.expired());
  lease.reset();
  EXPECT_TRUE(watch.expired());
}

TEST(Lease, ThreadsNeverExceedTheLimitAndGiveAllBack) {
  auto const engine = engine_with_limit(3);
  std::atomic<int> held{0}, most{0};
  auto const work = [&] {
    for (int i = 0; i < 20'000; ++i) {
      auto const lease = take(engine, 2);
      if (!lease) continue;
      int const now = ++held;
      for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {}
      --held;
    }
  };
  std::thread threads[] = {std::thread(work), std::thread(work), std::thread(work), std::thread(work)};
  for (auto& thread : threads) thread.join();
  EXPECT_LE(most, 3);
  expect_load(*engine, 0, 0);
}

}  // namespace
}  // namespace kvgate::fleet
