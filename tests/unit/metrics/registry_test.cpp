#include "metrics/registry.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <thread>

#include "unit/metrics/exposition_parser.hpp"

namespace kvgate::metrics {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using test::has;
using test::Labels;
using test::parse_exposition;
using test::value;

constexpr Clock::time_point kStart{};
std::string const kUrl1 = "http://engine-1:8000";
std::string const kUrl2 = "http://engine-2:8000";

class RegistryTest : public testing::Test {
 protected:
  RegistryTest() {
    std::vector<std::string> const routes = {"/v1/chat/completions", "/v1/responses/{}", "/v1/responses/{}"};
    registry.set_routes(routes);
  }
  auto scrape(Clock::time_point now = kStart + seconds(1)) { return parse_exposition(registry.expose(now)); }

  Registry registry{kStart, WallClock::time_point(seconds(1'700'000'000))};
  WorkerMetrics& first = registry.add_worker();
  WorkerMetrics& second = registry.add_worker();
  std::uint32_t const model = registry.intern_model("m1");
  std::uint32_t const engine1 = registry.intern_engine(kUrl1);
  std::uint32_t const engine2 = registry.intern_engine(kUrl2);
};

TEST_F(RegistryTest, SumsWorkersByRouteModelEngineAndStatus) {
  first.request_series(0, model, engine1)->finished(200, .1);
  second.request_series(0, model, engine1)->finished(200, .2);
  second.request_series(0, model, engine1)->finished(503, .3);
  second.request_series(kNoRoute, 0, 0)->finished(404, .001);
  auto const metrics = scrape();
  auto const requests = [&](std::string const& route, std::string const& m, std::string const& url,
                            char const* status) {
    return value(metrics, "kvgate_requests_total",
                 {{"route", route}, {"model", m}, {"engine", url}, {"status", status}});
  };
  EXPECT_EQ(requests("/v1/chat/completions", "m1", kUrl1, "200"), 2);
  EXPECT_EQ(requests("/v1/chat/completions", "m1", kUrl1, "503"), 1);
  EXPECT_EQ(requests("unknown", "unknown", "unknown", "404"), 1);
  Labels const chat = {{"route", "/v1/chat/completions"}, {"model", "m1"}};
  EXPECT_EQ(value(metrics, "kvgate_request_duration_seconds_count", chat), 3);
  EXPECT_DOUBLE_EQ(value(metrics, "kvgate_request_duration_seconds_sum", chat), .6);
}

TEST_F(RegistryTest, RoutesWithTheSameLabelAreOneSeries) {
  first.request_series(1, model, engine1)->finished(200, .1);
  first.request_series(2, model, engine1)->finished(200, .1);
  EXPECT_EQ(value(scrape(), "kvgate_requests_total",
                  {{"route", "/v1/responses/{}"}, {"model", "m1"}, {"engine", kUrl1}, {"status", "200"}}),
            2);
}

TEST_F(RegistryTest, LegsMoveFromPrefillToDecodingToNothing) {
  auto const gauges = [&] {
    auto const metrics = scrape();
    Labels const server = {{"server", kUrl1}};
    EXPECT_EQ(value(metrics, "vllm:num_requests_running", server),
              has(metrics, "kvgate_requests_in_flight", {{"model", "m1"}, {"engine", kUrl1}})
                  ? value(metrics, "kvgate_requests_in_flight", {{"model", "m1"}, {"engine", kUrl1}})
                  : 0);
    return std::pair(value(metrics, "vllm:num_prefill_requests", server),
                     value(metrics, "vllm:num_decoding_requests", server));
  };
  EXPECT_EQ(gauges(), std::pair(0., 0.));
  {
    EngineLeg refused(*first.request_series(0, model, engine1));
    EngineLeg streaming(*second.request_series(0, model, engine1));
    EXPECT_EQ(gauges(), std::pair(2., 0.));
    streaming.first_body_byte();
    streaming.first_body_byte();
    EngineLeg moved = std::move(streaming);
    EXPECT_EQ(gauges(), std::pair(1., 1.));
  }
  EXPECT_EQ(gauges(), std::pair(0., 0.));
}

TEST_F(RegistryTest, GaugesAreNeverNegativeWhileTheWorkerRuns) {
  constexpr double kWrapped = 1e12;  // an unsigned difference below zero is huge
  std::jthread const worker([&](std::stop_token const& stop) {
    auto& series = *first.request_series(0, model, engine1);
    for (std::uint32_t i = 0; !stop.stop_requested(); ++i) {
      first.connection_opened();
      EngineLeg leg(series);
      if (i % 3 != 0) leg.first_body_byte();
      leg.end();
      first.connection_closed();
      // A new series now and then: insertion and scraping must get along.
      if (i % 64 == 0) first.request_series(0, model, 10 + i / 64 % 50)->finished(200, .1);
    }
  });
  for (int i = 0; i < 100; ++i) {
    auto const metrics = scrape(kStart + seconds(i));
    for (auto const* name : {"vllm:num_prefill_requests", "vllm:num_decoding_requests", "vllm:num_requests_running"}) {
      EXPECT_LT(value(metrics, name, {{"server", kUrl1}}), kWrapped) << name;
    }
    EXPECT_LT(value(metrics, "kvgate_connections_open"), kWrapped);
  }
}

TEST_F(RegistryTest, SeriesOfDepartedEnginesLeaveAfterTenMinutes) {
  first.request_series(0, model, engine1)->finished(200, .1);
  first.request_series(0, model, engine1)->tokens({5, 0, 7});
  first.request_series(0, model, engine2)->finished(200, .1);
  Labels const series1 = {{"route", "/v1/chat/completions"}, {"model", "m1"}, {"engine", kUrl1}, {"status", "200"}};
  Labels const tokens1 = {{"server", kUrl1}, {"model", "m1"}};
  registry.engine_departed(engine1, kStart);

  auto metrics = scrape(kStart + minutes(9));
  EXPECT_TRUE(has(metrics, "kvgate_requests_total", series1));
  metrics = scrape(kStart + minutes(10));
  for (auto const& [name, family] : metrics) {
    for (auto const& [sample, values] : family.samples) {
      for (auto const& [labels, n] : values) {
        for (auto const& [label, text] : labels) EXPECT_NE(text, kUrl1) << sample;
      }
    }
  }
  EXPECT_EQ(value(metrics, "kvgate_completion_tokens_total", {{"model", "m1"}, {"source", "usage"}}), 7)
      << "a sum over engines never goes back";
  EXPECT_TRUE(has(metrics, "vllm:num_requests_running", {{"server", kUrl2}}));

  EXPECT_EQ(registry.intern_engine(kUrl1), engine1);
  metrics = scrape(kStart + minutes(11));
  EXPECT_EQ(value(metrics, "kvgate_requests_total", series1), 1);
  EXPECT_EQ(value(metrics, "vllm:output_tokens_total", tokens1), 7);
}

TEST_F(RegistryTest, EngineThatComesBackInTimeKeepsItsSeries) {
  first.request_series(0, model, engine1)->finished(200, .1);
  registry.engine_departed(engine1, kStart);
  registry.intern_engine(kUrl1);
  EXPECT_TRUE(has(scrape(kStart + minutes(20)), "vllm:num_requests_running", {{"server", kUrl1}}));
}

TEST_F(RegistryTest, SeriesOfThePythonRouterMeanTheSame) {
  auto& series = *first.request_series(0, model, engine1);
  first.request_series(0, model, 0)->incoming();
  first.request_series(0, 0, 0)->incoming();
  for (int i = 0; i < 6; ++i) EngineLeg{series};
  series.finished(200, .2);
  series.finished(200, 3);
  series.finished(502, 70);
  series.tokens({10, 4, 20});
  series.tokens({1000, 0, 2000, true});
  series.engine_error(ErrorKind::engine_lost);
  auto const metrics = scrape();
  Labels const server = {{"server", kUrl1}};
  Labels const both = {{"server", kUrl1}, {"model", "m1"}};
  EXPECT_DOUBLE_EQ(value(metrics, "vllm:current_qps", server), .1);
  EXPECT_DOUBLE_EQ(value(metrics, "vllm:avg_latency", server), 1.6);
  EXPECT_FALSE(has(metrics, "vllm:avg_latency", {{"server", kUrl2}}));
  EXPECT_EQ(value(metrics, "vllm:num_incoming_requests_total", {{"model", "m1"}}), 1);
  EXPECT_EQ(value(metrics, "vllm:num_incoming_requests_total", {{"model", "unknown"}}), 1);
  EXPECT_EQ(value(metrics, "vllm:input_tokens_total", both), 10);
  EXPECT_EQ(value(metrics, "vllm:output_tokens_total", both), 20);
  EXPECT_EQ(
      value(metrics, "vllm:request_errors_total", {{"server", kUrl1}, {"model", "m1"}, {"error_type", "engine_lost"}}),
      1);
  auto const bucket = [&](char const* status, char const* le) {
    return value(metrics, "vllm:request_latency_seconds_bucket",
                 {{"server", kUrl1}, {"model", "m1"}, {"status", status}, {"le", le}});
  };
  EXPECT_EQ(bucket("success", "0.1"), 0);
  EXPECT_EQ(bucket("success", "0.25"), 1);
  EXPECT_EQ(bucket("success", "+Inf"), 2);
  EXPECT_EQ(bucket("error", "60"), 0);
  EXPECT_EQ(bucket("error", "120"), 1);
  EXPECT_EQ(value(metrics, "kvgate_prompt_tokens_total", {{"model", "m1"}, {"source", "estimated"}}), 1000);
  EXPECT_EQ(value(metrics, "kvgate_cached_prompt_tokens_total", {{"model", "m1"}, {"source", "usage"}}), 4);
}

TEST_F(RegistryTest, WorkerLevelCounters) {
  first.decided("least_loaded", "fewest_in_flight", 2e-6);
  second.decided("least_loaded", "fewest_in_flight", 2e-6);
  second.filtered("healthy", 3);
  first.abstained("session", "no_session");
  second.abstained("session", "no_session");
  first.tokenized("exact", 2e-6);
  second.tokenized("exact", 3e-6);
  second.tokenized("media", std::nullopt);
  first.error(ErrorKind::no_engine);
  first.retried(ErrorKind::engine_unreachable);
  first.body_buffered(1000);
  first.body_released(400);
  second.engine_connection_opened();
  second.engine_connection_reused();
  second.engine_connection_idle_closed();
  second.poisoned_refused();
  registry.accept_paused();
  first.request_series(0, model, engine1)->client_aborted();
  auto const metrics = scrape();
  EXPECT_EQ(value(metrics, "kvgate_decisions_total", {{"policy", "least_loaded"}, {"reason", "fewest_in_flight"}}), 2);
  EXPECT_EQ(value(metrics, "kvgate_decision_seconds_count"), 2);
  EXPECT_EQ(value(metrics, "kvgate_filtered_total", {{"filter", "healthy"}}), 3);
  EXPECT_EQ(value(metrics, "kvgate_abstained_total", {{"policy", "session"}, {"reason", "no_session"}}), 2);
  EXPECT_EQ(value(metrics, "kvgate_tokenized_requests_total", {{"result", "exact"}}), 2);
  EXPECT_EQ(value(metrics, "kvgate_tokenized_requests_total", {{"result", "media"}}), 1);
  EXPECT_EQ(value(metrics, "kvgate_tokenize_seconds_count"), 2);
  EXPECT_EQ(value(metrics, "kvgate_errors_total", {{"cause", "no_engine"}}), 1);
  EXPECT_EQ(value(metrics, "kvgate_errors_total", {{"cause", "internal"}}), 0);
  EXPECT_EQ(value(metrics, "kvgate_retries_total", {{"cause", "engine_unreachable"}}), 1);
  EXPECT_EQ(value(metrics, "kvgate_request_body_buffered_bytes"), 600);
  for (auto const* name : {"kvgate_engine_connections_opened_total", "kvgate_engine_connections_reused_total",
                           "kvgate_engine_connections_idle_closed_total", "kvgate_poisoned_requests_total",
                           "kvgate_accept_pauses_total"}) {
    EXPECT_EQ(value(metrics, name), 1) << name;
  }
  EXPECT_EQ(value(metrics, "kvgate_client_aborts_total", {{"model", "m1"}}), 1);
}

TEST_F(RegistryTest, ControlSideAndProcess) {
  registry.set_control_source([&] {
    registry.intern_model("m1");  // no lock is held: a callback may use the registry
    ControlFacts::Engine const told{engine1, true, true, {{Metric::engine_waiting, 4}}, {{"ok", 9}}};
    return ControlFacts{{told, {engine2, true, false, {}, {}}}, {{{"m1", "exact"}}, 3, 1, 300, 100, 4096}, 100, 200};
  });
  auto const metrics = scrape();
  EXPECT_EQ(value(metrics, "kvgate_engine_up", {{"engine", kUrl2}}), 1);
  EXPECT_EQ(value(metrics, "vllm:healthy_pods_total", {{"server", kUrl1}}), 1);
  EXPECT_EQ(value(metrics, "vllm:healthy_pods_total", {{"server", kUrl2}}), 0);
  EXPECT_EQ(value(metrics, "kvgate_engine_waiting", {{"engine", kUrl1}}), 4);
  EXPECT_FALSE(has(metrics, "kvgate_engine_waiting", {{"engine", kUrl2}})) << "unknown is not zero";
  EXPECT_EQ(value(metrics, "kvgate_engine_scrapes_total", {{"engine", kUrl1}, {"result", "ok"}}), 9);
  EXPECT_EQ(value(metrics, "kvgate_tokenizer_state", {{"model", "m1"}, {"state", "exact"}}), 1);
  EXPECT_EQ(value(metrics, "kvgate_token_cache_texts_total", {{"result", "miss"}}), 1);
  EXPECT_EQ(value(metrics, "kvgate_token_cache_text_bytes_total", {{"result", "hit"}}), 300);
  EXPECT_EQ(value(metrics, "kvgate_token_cache_bytes"), 4096);
  EXPECT_EQ(value(metrics, "kvgate_memory_used_bytes"), 100);
  EXPECT_EQ(value(metrics, "kvgate_memory_limit_bytes"), 200);
  EXPECT_EQ(value(metrics, "kvgate_build_info", {{"version", KVGATE_VERSION}}), 1);
  EXPECT_NEAR(value(metrics, "process_start_time_seconds"), 1'700'000'000, 1e4);
  EXPECT_GT(value(metrics, "process_resident_memory_bytes"), 1e5);
  EXPECT_GE(value(metrics, "process_open_fds"), 3);
  EXPECT_GE(value(metrics, "process_max_fds"), value(metrics, "process_open_fds"));
  EXPECT_GT(value(metrics, "process_cpu_seconds_total"), 0);
}

TEST_F(RegistryTest, StrangeNamesStillGiveAValidExposition) {
  std::string const quotes = "a\"b\\c\nd";
  EXPECT_NE(registry.intern_model(quotes), 0U);
  first.request_series(0, registry.intern_model(quotes), engine1)->finished(200, .1);
  first.request_series(0, registry.intern_model("\xC3\x28"), engine1)->finished(200, .1);
  auto const metrics = scrape();
  auto const labels = [](std::string const& m) {
    return Labels{{"route", "/v1/chat/completions"}, {"model", m}, {"engine", kUrl1}, {"status", "200"}};
  };
  EXPECT_TRUE(has(metrics, "kvgate_requests_total", labels(quotes)));
  EXPECT_TRUE(has(metrics, "kvgate_requests_total", labels("\xEF\xBF\xBD(")));
}

TEST_F(RegistryTest, InventedNamesDoNotGrowTheExposition) {
  EXPECT_EQ(registry.intern_model(""), 0U);
  EXPECT_EQ(registry.intern_model(std::string(1 << 20, 'x')), 0U);
  for (int i = 0; i < 20'000; ++i) registry.intern_model("model-" + std::to_string(i));
  EXPECT_EQ(registry.intern_model("one-more"), 0U);
  EXPECT_EQ(registry.intern_model("m1"), model) << "known names keep their id";
  for (int i = 0; i < 100'000; ++i) first.request_series(kNoRoute, 0, 0)->finished(100 + i % 1000, .1);
  auto const text = registry.expose(kStart + seconds(1));
  EXPECT_LT(test::sample_count(parse_exposition(text)), 300U);
  EXPECT_LT(text.size(), 1U << 20U);
}

TEST_F(RegistryTest, EveryMetricOfTheCatalogueCanBeSeen) {
  ControlFacts::Engine facts{engine1, true, true, {}, {{"ok", 1}}};
  for (auto const metric :
       {Metric::engine_running, Metric::engine_waiting, Metric::engine_kv_usage, Metric::engine_sleeping,
        Metric::engine_stats_age, Metric::engine_prefill_rate, Metric::vllm_waiting, Metric::vllm_prefix_hit_rate,
        Metric::vllm_prefix_hits, Metric::vllm_prefix_queries, Metric::prefix_index_bytes, Metric::prefix_index_blocks,
        Metric::prefix_index_capacity}) {
    facts.told.emplace_back(metric, 1);
  }
  registry.set_control_source([&] { return ControlFacts{{facts}, {{{"m1", "exact"}}}, 1, 2}; });
  auto& series = *first.request_series(0, model, engine1);
  EngineLeg const leg(series);
  series.incoming();
  series.finished(200, .1);
  series.ttft(.05);
  series.itl(.01);
  series.engine_error(ErrorKind::engine_lost);
  first.decided("random", "only_candidate", 1e-6);
  first.filtered("model");
  first.predicted("prefix_affinity", engine1, {3, 2, 1});
  first.tokenized("exact", 1e-6);
  first.abstained("session", "no_session");
  auto const metrics = scrape();
  EXPECT_EQ(metrics.size(), kMetricCount);
  for (auto const& row : catalogue()) {
    SCOPED_TRACE(row.name);
    ASSERT_TRUE(metrics.contains(std::string(row.name)));
    EXPECT_EQ(metrics.at(std::string(row.name)).type, to_string(row.type));
    EXPECT_EQ(metrics.at(std::string(row.name)).help, row.help);
  }
}

TEST_F(RegistryTest, PromtoolReadsTheExposition) {
  if (std::system("command -v promtool >/dev/null") != 0) GTEST_SKIP() << "promtool is not installed";
  first.request_series(0, registry.intern_model("a\"b\\c\nd"), engine1)->finished(200, .1);
  std::string const path = testing::TempDir() + "kvgate_exposition_" + std::to_string(::getpid());
  std::ofstream(path) << registry.expose(kStart + seconds(1));
  std::string output;
  FILE* const pipe = ::popen(("promtool check metrics < " + path + " 2>&1").c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  for (char buffer[4096]; std::fgets(buffer, sizeof buffer, pipe) != nullptr;) output += buffer;
  ::pclose(pipe);
  std::remove(path.c_str());
  // The style of vllm:* names is not ours to choose; what cannot be parsed is.
  EXPECT_EQ(output.find("error while linting"), std::string::npos) << output;
  EXPECT_EQ(output.find("parsing"), std::string::npos) << output;
}

}  // namespace
}  // namespace kvgate::metrics
