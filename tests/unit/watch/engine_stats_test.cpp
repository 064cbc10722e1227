#include <gmock/gmock.h>

#include "unit/watch/log_file.hpp"
#include "unit/watch/watch_fixture.hpp"

namespace kvgate::watch {
namespace {

using fleet::ScrapeResult;

class EngineStatsTest : public WatchTest {
 protected:
  EngineStatsTest() { config.engine_stats.interval = 20ms; }

  /// An engine whose /metrics is `metrics`; nullopt: it never answers that.
  StubEngine& engine_with(std::optional<std::string>& metrics) {
    return stub([&metrics](auto& request) -> std::optional<std::string> {
      if (!request.starts_with("GET /metrics ")) return healthy_engine(request);
      return metrics ? std::optional(http_answer(200, *metrics, "text/plain")) : std::nullopt;
    });
  }
  static std::string load(int running, int started) {
    return "vllm:num_requests_running " + std::to_string(running) +
           "\nvllm:num_requests_waiting 0\nprocess_start_time_seconds " + std::to_string(started) + "\n";
  }
  std::optional<std::uint32_t> running(std::size_t i = 0) { return endpoint(i)->stats().gauges().running; }
  std::uint64_t scrapes(ScrapeResult result, std::size_t i = 0) { return endpoint(i)->stats().scrapes(result); }
};

TEST_F(EngineStatsTest, ReadsThemAtOnceAndAgainWithTheEnginesKey) {
  std::optional<std::string> metrics = load(3, 1000);
  auto& engine = engine_with(metrics);
  auto spec = spec_of(engine.url());
  spec.key = "sesame";
  auto const before = Clock::now();
  start({spec});
  ASSERT_TRUE(run_until(io, [&] { return running() == 3u; }));
  EXPECT_GE(endpoint()->stats().gauges().taken, before);
  metrics = load(5, 1000);
  ASSERT_TRUE(run_until(io, [&] { return running() == 5u; }));
  for (auto const& request : engine.requests())
    EXPECT_THAT(request, testing::HasSubstr("Authorization: Bearer sesame\r\n"));
}

TEST_F(EngineStatsTest, AnEngineThatHangsHoldsUpNobodyAndStaysHealthy) {
  config.engine_stats.timeout = 50ms;
  std::optional<std::string> hangs, answers = load(1, 1000);
  start({spec_of(engine_with(hangs).url()), spec_of(engine_with(answers).url())});
  ASSERT_TRUE(
      run_until(io, [&] { return scrapes(ScrapeResult::ok, 1) >= 3 && scrapes(ScrapeResult::failed, 0) >= 2; }));
  EXPECT_FALSE(endpoint(0)->stats().gauges().known());
  EXPECT_EQ(health(0), Health::up);
}

TEST_F(EngineStatsTest, AFailureKeepsWhatWasKnownWithItsAge) {
  std::optional<std::string> metrics = load(3, 1000);
  bool ok = true;
  auto& engine = stub([&](auto& r) {
    return r.starts_with("GET /metrics ") ? http_answer(ok ? 200 : 500, *metrics) : healthy_engine(r);
  });
  start({spec_of(engine.url())});
  ASSERT_TRUE(run_until(io, [&] { return running() == 3u; }));
  ok = false;
  ASSERT_TRUE(run_until(io, [&] { return scrapes(ScrapeResult::failed) >= 1; }));
  auto const taken = endpoint()->stats().gauges().taken;
  ASSERT_TRUE(run_until(io, [&] { return scrapes(ScrapeResult::failed) >= 3; }));
  EXPECT_EQ(running(), 3u);
  EXPECT_EQ(endpoint()->stats().gauges().taken, taken);
}

TEST_F(EngineStatsTest, ARestartIsToldOnceAndForgetsTheSpeed) {
  LogFile log_file;
  std::optional<std::string> metrics = load(3, 1000);
  auto& engine = engine_with(metrics);
  start({spec_of(engine.url())});
  ASSERT_TRUE(run_until(io, [&] { return running() == 3u && serves("tiny"); }));
  for (int i = 0; i < 8; ++i) endpoint()->prefill_rate().learn(1000, 100ms);
  ASSERT_TRUE(endpoint()->prefill_rate().tokens_per_second());
  metrics = load(0, 2000);
  ASSERT_TRUE(run_until(io, [&] { return engine.count("GET /v1/models ") >= 2; })) << "its models are asked for anew";
  auto const so_far = scrapes(ScrapeResult::ok);
  ASSERT_TRUE(run_until(io, [&] { return scrapes(ScrapeResult::ok) >= so_far + 3; }));
  EXPECT_FALSE(endpoint()->prefill_rate().tokens_per_second());
  using testing::AllOf, testing::HasSubstr;
  EXPECT_THAT(log_file.finish(), testing::ElementsAre(AllOf(HasSubstr(engine.url().text), HasSubstr("restarted"))));
}

TEST_F(EngineStatsTest, NothingIsReadWhenSwitchedOff) {
  config.engine_stats.enabled = false;
  std::optional<std::string> metrics = load(3, 1000);
  auto& engine = engine_with(metrics);
  start({spec_of(engine.url())});
  ASSERT_TRUE(run_until(io, [&] { return health() == Health::up && serves("tiny"); }));
  EXPECT_EQ(engine.count("GET /metrics "), 0u);
}

TEST_F(EngineStatsTest, OtherNamesAreSaidOnceInTheLog) {
  LogFile log_file;
  std::optional<std::string> metrics = "sglang:num_running_reqs 99\n";
  auto& engine = engine_with(metrics);
  start({spec_of(engine.url())});
  ASSERT_TRUE(run_until(io, [&] { return scrapes(ScrapeResult::no_known_series) >= 3; }));
  EXPECT_FALSE(endpoint()->stats().gauges().known());
  metrics = load(1, 1000);
  ASSERT_TRUE(run_until(io, [&] { return scrapes(ScrapeResult::ok) >= 2; }));
  using testing::AllOf, testing::HasSubstr;
  EXPECT_THAT(log_file.finish(), testing::ElementsAre(AllOf(HasSubstr(engine.url().text), HasSubstr("no_known_series")),
                                                      AllOf(HasSubstr(engine.url().text), HasSubstr("again"))));
}

}  // namespace
}  // namespace kvgate::watch
