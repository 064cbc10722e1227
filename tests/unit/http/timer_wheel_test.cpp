#include "http/timer_wheel.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "support/stub_engine.hpp"

namespace kvgate::http {
namespace {

using namespace std::chrono_literals;
using kvgate::test::run_until;

class Alarm final : public Listener {
 public:
  explicit Alarm(TimerWheel& wheel) : deadline(wheel, *this) {}
  void on_news() override {
    ++rang;
    at = Clock::now();
    if (then) then();
  }

  Deadline deadline;
  int rang = 0;
  Clock::time_point at{};
  std::function<void()> then;
};

class TimerWheelTest : public testing::Test {
 protected:
  /// Lets the wheel turn for a while, by a deadline of its own.
  void turn(Clock::duration time) {
    Alarm end(wheel);
    end.deadline.set_after(time);
    ASSERT_TRUE(run_until(io, [&] { return end.rang > 0; }));
  }

  net::io_context io;
  TimerWheel wheel{io};
};

TEST_F(TimerWheelTest, FiresOnceAndNeverEarly) {
  for (auto const after : {1ms, 49ms, 50ms, 51ms, 120ms}) {
    Alarm alarm(wheel);
    auto const start = Clock::now();
    alarm.deadline.set_after(after);
    EXPECT_TRUE(alarm.deadline.is_set());
    EXPECT_FALSE(alarm.deadline.expired());
    ASSERT_TRUE(run_until(io, [&] { return alarm.rang > 0; }));
    EXPECT_GE(alarm.at - start, after);
    EXPECT_LT(alarm.at - start, after + 1s);   // one tick on an idle machine
    EXPECT_TRUE(alarm.deadline.expired());
    EXPECT_FALSE(alarm.deadline.is_set());
    turn(110ms);
    EXPECT_EQ(alarm.rang, 1);
  }
}

TEST_F(TimerWheelTest, ATimeInThePastFiresWithTheNextTick) {
  Alarm alarm(wheel);
  alarm.deadline.set_at(Clock::now() - 1h);
  EXPECT_TRUE(run_until(io, [&] { return alarm.rang == 1; }, 5s));
}

TEST_F(TimerWheelTest, ClearedAndUnlimitedOnesStaySilent) {
  Alarm cleared(wheel), unlimited(wheel);
  cleared.deadline.set_after(1ms);
  cleared.deadline.clear();
  unlimited.deadline.set_after(1ms);
  unlimited.deadline.set_after(0ms);
  { Alarm gone(wheel); gone.deadline.set_after(1ms); }
  EXPECT_FALSE(unlimited.deadline.is_set());
  turn(120ms);
  EXPECT_EQ(cleared.rang + unlimited.rang, 0);
}

TEST_F(TimerWheelTest, ClearForgetsThatItExpired) {
  Alarm alarm(wheel);
  alarm.deadline.set_after(1ms);
  ASSERT_TRUE(run_until(io, [&] { return alarm.deadline.expired(); }));
  alarm.deadline.clear();
  EXPECT_FALSE(alarm.deadline.expired());
}

TEST_F(TimerWheelTest, MovingADeadlineReplacesIt) {
  Alarm later(wheel), sooner(wheel);
  auto const start = Clock::now();
  later.deadline.set_after(1ms);
  later.deadline.set_after(300ms);
  sooner.deadline.set_after(1h);
  sooner.deadline.set_after(1ms);
  ASSERT_TRUE(run_until(io, [&] { return later.rang && sooner.rang; }));
  EXPECT_GE(later.at - start, 300ms);
  EXPECT_LT(sooner.at, later.at);
}

TEST_F(TimerWheelTest, DeadlinesOfALaterTurnStay) {
  Alarm far(wheel);
  far.deadline.set_after(1024 * TimerWheel::kTick + 100ms);   // in a slot that is looked at now
  turn(300ms);
  EXPECT_EQ(far.rang, 0);
  EXPECT_TRUE(far.deadline.is_set());
}

TEST_F(TimerWheelTest, ListenersMaySetClearAndDestroyDeadlines) {
  auto const due = Clock::now() + 10ms;
  Alarm first(wheel), second(wheel), again(wheel);
  auto doomed = std::make_unique<Alarm>(wheel);
  // Whichever of the two is told first clears the other.
  first.then = [&] { second.deadline.clear(); };
  second.then = [&] { first.deadline.clear(); };
  doomed->then = [&] { doomed.reset(); };
  again.then = [&] { if (again.rang < 3) again.deadline.set_after(1ms); };
  for (auto* alarm : {&first, &second, doomed.get(), &again}) alarm->deadline.set_at(due);
  ASSERT_TRUE(run_until(io, [&] { return again.rang == 3; }));
  EXPECT_EQ(first.rang + second.rang, 1);
  EXPECT_FALSE(doomed);
}

TEST_F(TimerWheelTest, WorksAgainAfterStandingStill) {
  turn(60ms);
  net::steady_timer pause(io, 130ms);   // nothing is set meanwhile
  pause.wait();
  Alarm alarm(wheel);
  auto const start = Clock::now();
  alarm.deadline.set_after(60ms);
  ASSERT_TRUE(run_until(io, [&] { return alarm.rang == 1; }));
  EXPECT_GE(alarm.at - start, 60ms);
}

TEST_F(TimerWheelTest, StoppedItLetsTheLoopEnd) {
  Alarm alarm(wheel);
  alarm.deadline.set_after(1h);
  wheel.stop();
  io.restart();
  io.run();   // returns
  EXPECT_EQ(alarm.rang, 0);
}

}  // namespace
}  // namespace kvgate::http
