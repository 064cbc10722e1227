#include "server/drain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include "support/stub_engine.hpp"

namespace kvgate::server {
namespace {

using namespace std::chrono_literals;
using proxy::LifeStage;
using test::run_until;
using testing::ElementsAre;

class DrainTest : public testing::Test {
 protected:
  /// What happened, in order.
  std::vector<std::string> events;
  std::size_t connections = 0;
  config::Drain times{1h, 2h};
  boost::asio::io_context io;

  Drain::Hooks hooks() {
    return {[this] { events.emplace_back("not ready"); }, [this](LifeStage stage) { note(stage); },
            [this] { return connections; }, [this] { events.emplace_back("finished"); }};
  }
  void note(LifeStage stage) {
    static constexpr char const* kNames[] = {"serving", "settling", "draining", "killed"};
    events.emplace_back(kNames[static_cast<int>(stage)]);
  }
  bool until(std::string const& event) {
    return run_until(io, [&] { return !events.empty() && events.back() == event; });
  }
};

TEST_F(DrainTest, SigtermSettlesThenDrainsThenEnds) {
  times = {60ms, 1h};
  connections = 1;
  Drain drain(io, times, hooks());
  auto const start = Clock::now();
  std::raise(SIGTERM);
  ASSERT_TRUE(until("settling"));
  EXPECT_THAT(events, ElementsAre("not ready", "settling"));
  ASSERT_TRUE(until("draining"));
  EXPECT_GE(Clock::now() - start, 60ms);
  connections = 0;
  ASSERT_TRUE(until("finished"));
  EXPECT_THAT(events, ElementsAre("not ready", "settling", "draining", "finished"));
  EXPECT_FALSE(drain.cut_off());
}

TEST_F(DrainTest, SettlingIsServedToItsEndAlsoWhenNobodyIsConnected) {
  times = {60ms, 1h};
  Drain drain(io, times, hooks());
  auto const start = Clock::now();
  std::raise(SIGTERM);
  ASSERT_TRUE(until("finished"));
  EXPECT_GE(Clock::now() - start, 60ms);
  io.restart();
  io.run();   // nothing is left to wait for
}

TEST_F(DrainTest, SigintSkipsTheSettling) {
  connections = 1;
  Drain drain(io, times, hooks());
  std::raise(SIGINT);
  ASSERT_TRUE(until("draining"));
  EXPECT_THAT(events, ElementsAre("not ready", "draining"));
  connections = 0;
  EXPECT_TRUE(until("finished"));
}

TEST_F(DrainTest, NoSettlingIsConfigured) {
  times = {0ms, 1h};
  Drain drain(io, times, hooks());
  std::raise(SIGTERM);
  ASSERT_TRUE(until("finished"));
  EXPECT_THAT(events, ElementsAre("not ready", "draining", "finished"));
}

TEST_F(DrainTest, TheTimeoutCutsOff) {
  times = {0ms, 60ms};
  connections = 1;
  Drain drain(io, times, hooks());
  auto const start = Clock::now();
  std::raise(SIGTERM);
  ASSERT_TRUE(until("killed"));
  EXPECT_GE(Clock::now() - start, 60ms);
  EXPECT_TRUE(drain.cut_off());
  connections = 0;
  ASSERT_TRUE(until("finished"));
  EXPECT_THAT(events, ElementsAre("not ready", "draining", "killed", "finished"));
}

TEST_F(DrainTest, TheTimeoutCountsFromTheSignalAlsoWhileItSettles) {
  times = {1h, 60ms};
  connections = 1;
  Drain drain(io, times, hooks());
  std::raise(SIGTERM);
  ASSERT_TRUE(until("killed"));
  EXPECT_THAT(events, ElementsAre("not ready", "settling", "draining", "killed"));
  EXPECT_TRUE(drain.cut_off());
}

struct Second {
  int first, second;
  std::string stage;   ///< after the first
};

TEST_F(DrainTest, ASecondSignalCutsOffNow) {
  for (auto const& c : {Second{SIGTERM, SIGTERM, "settling"}, Second{SIGTERM, SIGINT, "settling"},
                        Second{SIGINT, SIGTERM, "draining"}, Second{SIGINT, SIGINT, "draining"}}) {
    events.clear();
    connections = 1;
    Drain drain(io, times, hooks());
    std::raise(c.first);
    ASSERT_TRUE(until(c.stage));
    std::raise(c.second);
    ASSERT_TRUE(until("killed"));
    EXPECT_EQ(std::ranges::count(events, "draining"), 1);
    EXPECT_TRUE(drain.cut_off());
    std::raise(c.second);   // a third changes nothing
    connections = 0;
    ASSERT_TRUE(until("finished"));
    EXPECT_EQ(std::ranges::count(events, "killed"), 1);
    io.restart();
    io.run();   // nothing is left to wait for
  }
}

TEST_F(DrainTest, ASecondSignalCutsNothingOffWhenNothingRuns) {
  Drain drain(io, times, hooks());
  std::raise(SIGTERM);
  ASSERT_TRUE(until("settling"));
  std::raise(SIGTERM);
  ASSERT_TRUE(until("finished"));
  EXPECT_FALSE(drain.cut_off());
}

TEST_F(DrainTest, Sigusr1EndsNothing) {
  Drain drain(io, times, hooks());
  std::raise(SIGUSR1);
  std::raise(SIGINT);
  ASSERT_TRUE(until("finished"));
  EXPECT_THAT(events, ElementsAre("not ready", "draining", "finished"));
}

}  // namespace
}  // namespace kvgate::server
