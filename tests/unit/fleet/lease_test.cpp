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

void expect_load(Endpoint const& engine, std::uint32_t in_flight, std::uint64_t tokens) {
  EXPECT_EQ(engine.load().in_flight, in_flight);
  EXPECT_EQ(engine.load().prefill_tokens, tokens);
}

TEST(Lease, CountsUntilItGoes) {
  auto const engine = engine_with_limit(0);
  {
    auto const a = Lease::take(engine, 100);
    auto b = Lease::take(engine, 20);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->endpoint(), engine.get());
    expect_load(*engine, 2, 120);
    b->prefill_done();
    b->prefill_done();
    expect_load(*engine, 2, 100);
  }
  expect_load(*engine, 0, 0);
}

TEST(Lease, RefusesOverTheLimit) {
  auto const engine = engine_with_limit(2);
  auto a = Lease::take(engine, 1), b = Lease::take(engine, 1);
  EXPECT_TRUE(a && b);
  EXPECT_FALSE(Lease::take(engine, 1));
  expect_load(*engine, 2, 2);
  a.reset();
  EXPECT_TRUE(Lease::take(engine, 1));
  expect_load(*engine, 1, 1);
}

TEST(Lease, MovesWithoutCountingTwice) {
  auto const engine = engine_with_limit(0), other = engine_with_limit(0);
  auto a = Lease::take(engine, 5);
  Lease moved(std::move(*a));
  a.reset();
  EXPECT_TRUE(moved);
  expect_load(*engine, 1, 5);
  auto b = Lease::take(other, 7);
  moved = std::move(*b);   // gives back what it held
  expect_load(*engine, 0, 0);
  expect_load(*other, 1, 7);
  EXPECT_FALSE(*b);
  moved = Lease();
  expect_load(*other, 0, 0);
}

TEST(Lease, KeepsItsEndpointAlive) {
  auto engine = engine_with_limit(0);
  std::weak_ptr<Endpoint> const watch = engine;
  auto lease = Lease::take(std::move(engine), 1);
  EXPECT_FALSE(watch.expired());
  lease.reset();
  EXPECT_TRUE(watch.expired());
}

TEST(Lease, ThreadsNeverExceedTheLimitAndGiveAllBack) {
  auto const engine = engine_with_limit(3);
  std::atomic<int> held{0}, most{0};
  auto const work = [&] {
    for (int i = 0; i < 20'000; ++i) {
      auto const lease = Lease::take(engine, 2);
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
