#include <gmock/gmock.h>

#include "unit/watch/watch_fixture.hpp"

namespace kvgate::watch {
namespace {

using testing::ElementsAre;

using HealthTest = WatchTest;

TEST_F(HealthTest, ProbesAtOnceWithTheEnginesKeyAndBase) {
  auto& engine = stub(healthy_engine);
  config.health.path = "/ping";
  auto spec = spec_of(engine.url("127.0.0.1", "/base"));
  spec.key = "secret";
  start({spec});
  ASSERT_TRUE(run_until(io, [&] { return health() == Health::up; }));
  EXPECT_THAT(reasons, ElementsAre("probe_ok"));
  ASSERT_EQ(engine.count("GET /base/ping HTTP/1.1\r\n"), 1u);
  for (auto const& request : engine.requests()) {
    EXPECT_NE(request.find("\r\nAuthorization: Bearer secret\r\n"), std::string::npos) << request;
  }
}

struct DownCase {
  char const* name;
  std::optional<std::string> answer;  ///< nullopt: silence
  bool refuse;
  char const* reason;
};

TEST_F(HealthTest, SaysWhyAnEngineIsDown) {
  DownCase const cases[] = {
      {"status", http_answer(503, ""), false, "probe_status"},
      {"redirect", http_answer(307, ""), false, "probe_status"},
      {"silence", std::nullopt, false, "probe_timeout"},
      {"refused", "", true, "probe_refused"},
      {"closed", "", false, "probe_failed"},
      {"garbage", "garbage\r\n\r\n", false, "probe_failed"},
  };
  config.health.timeout = 100ms;
  config.health.fall = 1;
  for (auto const& c : cases) {
    SCOPED_TRACE(c.name);
    fleet::Registry fresh{[](auto) { return 0u; }, [](auto) { return 0u; }, 1};
    std::string_view reason;
    fresh.on_transition([&](fleet::Transition const& t) { reason = t.reason; });
    StubEngine engine(io, [&](auto&) { return c.answer; });
    if (c.refuse) engine.close();
    fresh.set_engines({spec_of(engine.url())}, {});
    Watch one(Context{io, fresh, config, tokens, tls, Random(1)});
    one.start();
    EXPECT_TRUE(run_until(io, [&] { return !reason.empty(); }));
    EXPECT_EQ(reason, c.reason);
    one.stop();
    engine.close();
    io.restart();
    io.run();
  }
}

TEST_F(HealthTest, GoesDownAfterFallFailuresAndComesBack) {
  bool ok = true;
  auto& engine = stub([&](auto& request) { return ok ? healthy_engine(request) : http_answer(500, ""); });
  config.health.interval = 20ms;
  config.health.fall = 3;
  start({spec_of(engine.url())});
  ASSERT_TRUE(run_until(io, [&] { return health() == Health::up; }));
  ok = false;
  auto const before = engine.count("GET /health");
  ASSERT_TRUE(run_until(io, [&] { return health() == Health::down; }));
  // One probe may have been under way when the engine broke.
  EXPECT_THAT(engine.count("GET /health") - before, testing::AllOf(testing::Ge(3u), testing::Le(4u)));
  ok = true;
  ASSERT_TRUE(run_until(io, [&] { return health() == Health::up; }));
  EXPECT_THAT(reasons, ElementsAre("probe_ok", "probe_status", "probe_ok"));
}

TEST_F(HealthTest, TheNextGoodProbeBringsASuspectBack) {
  auto& engine = stub(healthy_engine);
  config.health.interval = 20ms;
  start({spec_of(engine.url())});
  ASSERT_TRUE(run_until(io, [&] { return health() == Health::up; }));
  registry.set_health(endpoint(), Health::suspect, "connect_refused");
  ASSERT_TRUE(run_until(io, [&] { return health() == Health::up; }));
  EXPECT_THAT(reasons, ElementsAre("probe_ok", "connect_refused", "probe_ok"));
}

TEST_F(HealthTest, AProbeThatBeganBeforeTheRefusalProvesNothing) {
  std::size_t probes = 0;
  auto& engine = stub([&](auto& request) {
    // While the second probe is being answered, the data path finds the engine refusing.
    if (request.starts_with("GET /health") && ++probes == 2) {
      registry.set_health(endpoint(), Health::suspect, "connect_refused");
    }
    return healthy_engine(request);
  });
  config.health.interval = 20ms;
  start({spec_of(engine.url())});
  ASSERT_TRUE(run_until(io, [&] { return reasons.size() == 3; }));
  EXPECT_EQ(probes, 3u);
  EXPECT_THAT(reasons, ElementsAre("probe_ok", "connect_refused", "probe_ok"));
}

TEST_F(HealthTest, ASilentEngineDelaysNoOther) {
  auto& silent = stub([](auto&) { return std::nullopt; });
  auto& engine = stub(healthy_engine);
  config.health.timeout = 1h;
  start({spec_of(silent.url()), spec_of(engine.url())});
  ASSERT_TRUE(run_until(io, [&] { return health(1) == Health::up && serves("tiny", 1); }));
  EXPECT_EQ(health(0), Health::unknown);
}

TEST_F(HealthTest, WithoutChecksEnginesAreUpAndARefusalDoesNotLast) {
  config.health.enabled = false;
  config.health.interval = 20ms;
  auto& engine = stub(healthy_engine);
  start({spec_of(engine.url())});
  ASSERT_TRUE(run_until(io, [&] { return health() == Health::up; }));
  registry.set_health(endpoint(), Health::suspect, "connect_refused");
  ASSERT_TRUE(run_until(io, [&] { return health() == Health::up; }));
  EXPECT_THAT(reasons, ElementsAre("health_off", "connect_refused", "health_off"));
  EXPECT_EQ(engine.count("GET /health"), 0u);
}

}  // namespace
}  // namespace kvgate::watch
