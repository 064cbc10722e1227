#include "fleet/engine_stats.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kvgate::fleet {
namespace {

using namespace std::chrono_literals;

constexpr Clock::time_point kNow{1000s};

EngineStats told(std::optional<double> started = std::nullopt) {
  EngineStats stats;
  stats.gauges.running = 3;
  stats.gauges.waiting = 1;
  stats.gauges.started = started;
  stats.gauges.taken = kNow;
  return stats;
}

TEST(ReportedStats, UnknownUntilToldAndAgainWhenStale) {
  ReportedStats stats;
  EXPECT_FALSE(stats.reported(kNow, 15s));
  stats.store(told());
  auto const reported = stats.reported(kNow + 15s, 15s);
  ASSERT_TRUE(reported);
  EXPECT_EQ(reported->running, 3u);
  EXPECT_EQ(reported->waiting, 1u);
  EXPECT_EQ(reported->age, 15s);
  EXPECT_TRUE(std::isnan(reported->kv_usage)) << "not told";
  EXPECT_FALSE(stats.reported(kNow + 15s + 1ns, 15s));
}

TEST(ReportedStats, AClockReadBeforeTheScrapeIsAgeZero) {
  ReportedStats stats;
  stats.store(told());
  EXPECT_EQ(stats.reported(kNow - 1s, 15s)->age, 0s);
}

TEST(ReportedStats, HalfOfTheLoadIsNotKnownLoad) {
  ReportedStats stats;
  auto half = told();
  half.gauges.waiting = std::nullopt;
  stats.store(half);
  EXPECT_FALSE(stats.reported(kNow, 15s));
  EXPECT_EQ(stats.gauges().running, 3u) << "though operators may see it";
}

TEST(ReportedStats, OnlyALaterStartIsARestart) {
  struct Case {
    char const* name;
    std::optional<double> start;
    bool restarted;
  };
  ReportedStats stats;
  for (auto const& c : std::initializer_list<Case>{{"first", 1000.5, false},
                                                   {"same", 1000.5, false},
                                                   {"a sibling of the same server", 1001.2, false},
                                                   {"not told", std::nullopt, false},
                                                   {"restart", 1300.0, true},
                                                   {"an older server behind the same URL", 1000.5, false},
                                                   {"and the newer one again", 1300.0, false},
                                                   {"next restart", 1400.0, true}}) {
    EXPECT_EQ(stats.store(told(c.start)), c.restarted) << c.name;
  }
}

TEST(ReportedStats, CountsScrapesByResult) {
  ReportedStats stats;
  stats.count(ScrapeResult::failed);
  stats.count(ScrapeResult::failed);
  EXPECT_EQ(stats.scrapes(ScrapeResult::failed), 2u);
  EXPECT_EQ(stats.scrapes(ScrapeResult::ok), 0u);
}

TEST(Adapters, WhereAnEngineStandsWithOne) {
  struct Case {
    char const* name;
    Adapters adapters;
    Adapter state;
  };
  for (auto const& c : std::initializer_list<Case>{{"nothing told", {}, Adapter::not_known},
                                                   {"idle", {{}, {}, 2}, Adapter::room},
                                                   {"running", {{"b", "a"}, {}, 2}, Adapter::loaded},
                                                   {"a slot is free", {{"b"}, {}, 2}, Adapter::room},
                                                   {"all taken", {{"b", "c"}, {}, 2}, Adapter::full},
                                                   {"the free slot is promised", {{"b"}, {"c"}, 2}, Adapter::full},
                                                   {"promised to this one", {{"b"}, {"a"}, 2}, Adapter::room}}) {
    EXPECT_EQ(c.adapters.state_of("a"), c.state) << c.name;
  }
}

}  // namespace
}  // namespace kvgate::fleet
