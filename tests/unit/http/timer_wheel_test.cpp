#include "http/timer_wheel.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

namespace kvgate::http {
namespace {

using namespace std::chrono_literals;

class Alarm final : public Listener {
 public:
  explicit Alarm(TimerWheel& wheel) : deadline(wheel, *this) {}
  void on_news() override {
    ++rang;
    if (then) then();
  }

  Deadline deadline;
  int rang = 0;
  std::function<void()> then;
};

/// Time is made up here; it only has to be later than the real one.
class TimerWheelTest : public testing::Test {
 protected:
  void advance_to(Clock::duration since_start) { wheel.advance(start + since_start); }

  TimerWheel wheel;
  Clock::time_point const start = Clock::now() + 1h;
};

TEST_F(TimerWheelTest, FiresOnceNeverEarlyAndAtMostOneTickLate) {
  for (auto const after : {0ms, 1ms, 49ms, 50ms, 51ms, 120ms, 999ms, 51'200ms, 51'201ms, 200'000ms}) {
    for (auto const step : {7ms, 50ms, 51ms, 333ms}) {
      TimerWheel fresh;
      Alarm alarm(fresh);
      auto now = Clock::now() + 1h;
      fresh.advance(now);
      auto const due = now + after;
      alarm.deadline.set_at(due);
      EXPECT_TRUE(alarm.deadline.is_set());
      while (!alarm.rang && now < due + 1h) fresh.advance(now += step);
      EXPECT_GE(now, due) << after.count() << " in steps of " << step.count();
      EXPECT_LE(now, due + TimerWheel::kTick + step) << after.count() << " in steps of " << step.count();
      EXPECT_TRUE(alarm.deadline.expired());
      EXPECT_FALSE(alarm.deadline.is_set());
      fresh.advance(now + 1h);
      EXPECT_EQ(alarm.rang, 1);
    }
  }
}

TEST_F(TimerWheelTest, ATimeInThePastFiresWithTheNextTick) {
  Alarm alarm(wheel);
  alarm.deadline.set_at(start - 2h);
  advance_to(50ms);
  EXPECT_EQ(alarm.rang, 1);
}

TEST_F(TimerWheelTest, ALongPauseOfTheLoopLosesNothing) {
  Alarm alarms[] = {Alarm(wheel), Alarm(wheel), Alarm(wheel)};
  alarms[0].deadline.set_at(start + 1s);
  alarms[1].deadline.set_at(start + 70s);
  alarms[2].deadline.set_at(start + 2h);
  advance_to(1h);   // many turns of the wheel in one step
  EXPECT_EQ(alarms[0].rang, 1);
  EXPECT_EQ(alarms[1].rang, 1);
  EXPECT_EQ(alarms[2].rang, 0);
}

TEST_F(TimerWheelTest, ClearedAndUnlimitedOnesStaySilent) {
  Alarm cleared(wheel), unlimited(wheel);
  cleared.deadline.set_at(start);
  cleared.deadline.clear();
  unlimited.deadline.set_after(1ms);
  unlimited.deadline.set_after(0ms);
  { Alarm gone(wheel); gone.deadline.set_at(start); }
  EXPECT_FALSE(unlimited.deadline.is_set());
  EXPECT_LT(wheel.until_next(start), 0ms);
  advance_to(1h);
  EXPECT_EQ(cleared.rang + unlimited.rang, 0);
}

TEST_F(TimerWheelTest, ClearForgetsThatItExpired) {
  Alarm alarm(wheel);
  alarm.deadline.set_at(start);
  advance_to(1s);
  ASSERT_TRUE(alarm.deadline.expired());
  alarm.deadline.clear();
  EXPECT_FALSE(alarm.deadline.expired());
}

TEST_F(TimerWheelTest, MovingADeadlineReplacesIt) {
  Alarm later(wheel), sooner(wheel);
  later.deadline.set_at(start + 1s);
  later.deadline.set_at(start + 10s);
  sooner.deadline.set_at(start + 20s);
  sooner.deadline.set_at(start + 1s);
  advance_to(2s);
  EXPECT_EQ(later.rang, 0);
  EXPECT_EQ(sooner.rang, 1);
  advance_to(30s);
  EXPECT_EQ(later.rang, 1);
  EXPECT_EQ(sooner.rang, 1);
}

TEST_F(TimerWheelTest, SetAfterCountsFromNow) {
  Alarm alarm(wheel);
  auto const before = Clock::now();
  alarm.deadline.set_after(10s);
  wheel.advance(before + 9s);
  EXPECT_EQ(alarm.rang, 0);
  wheel.advance(Clock::now() + 10s + TimerWheel::kTick);
  EXPECT_EQ(alarm.rang, 1);
}

TEST_F(TimerWheelTest, SaysHowLongTheLoopMaySleep) {
  EXPECT_LT(wheel.until_next(start), 0ms);
  Alarm alarm(wheel);
  alarm.deadline.set_at(start + 10s);
  advance_to(0ms);
  EXPECT_EQ(wheel.until_next(start), TimerWheel::kTick);
  EXPECT_EQ(wheel.until_next(start + 30ms), 20ms);
  EXPECT_EQ(wheel.until_next(start + 1h), 0ms);
  advance_to(11s);
  EXPECT_LT(wheel.until_next(start), 0ms);
}

TEST_F(TimerWheelTest, ListenersMaySetClearAndDestroyDeadlines) {
  Alarm first(wheel), second(wheel), again(wheel);
  auto doomed = std::make_unique<Alarm>(wheel);
  // Whichever of the two is told first clears the other.
  first.then = [&] { second.deadline.clear(); };
  second.then = [&] { first.deadline.clear(); };
  doomed->then = [&] { doomed.reset(); };
  again.then = [&] { again.deadline.set_at(start); };
  for (auto* alarm : {&first, &second, doomed.get(), &again}) alarm->deadline.set_at(start + 10ms);
  advance_to(0ms);
  EXPECT_EQ(again.rang, 0);
  advance_to(50ms);
  EXPECT_EQ(first.rang + second.rang, 1);
  EXPECT_FALSE(doomed);
  EXPECT_EQ(again.rang, 1);   // not again and again within one turn of the loop
  advance_to(100ms);
  EXPECT_EQ(again.rang, 2);
}

}  // namespace
}  // namespace kvgate::http
