#include "unit/watch/watch_fixture.hpp"

namespace kvgate::watch {
namespace {

TEST_F(WatchTest, StopsWhateverIsUnderWay) {
  auto& silent = stub([](auto&) { return std::nullopt; });
  auto& idle = stub(healthy_engine);
  config.health.timeout = 1h;
  pace.models_timeout = 1h;
  config.engine_stats.timeout = 1h;
  start({spec_of(silent.url()), spec_of(idle.url())});
  ASSERT_TRUE(run_until(io, [&] { return silent.requests().size() == 3 && serves("tiny", 1); }));
  watch->stop();
  silent.close();
  idle.close();
  io.restart();
  io.run();  // returns: nothing of the watch is left
  EXPECT_EQ(silent.requests().size(), 3u);
}

TEST_F(WatchTest, MayBeStoppedTwiceAndBeforeItRuns) {
  auto& engine = stub(healthy_engine);
  start({spec_of(engine.url())});
  watch->stop();
  engine.close();
  io.run();
  EXPECT_EQ(health(), Health::unknown);
}

TEST_F(WatchTest, MayBeDestroyedBeforeTheLoop) {
  auto inner = std::make_unique<net::io_context>();
  StubEngine engine(*inner, [](auto&) { return std::nullopt; });
  registry.set_engines({spec_of(engine.url())}, {});
  auto watched = std::make_unique<Watch>(Context{*inner, registry, config, tokens, tls, Random(1)});
  watched->start();
  ASSERT_TRUE(run_until(*inner, [&] { return engine.requests().size() == 3; }));
  watched.reset();
  engine.close();
  inner->stop();
}

TEST_F(WatchTest, RequestsForEnginesThatItDoesNotKnowChangeNothing) {
  auto& engine = stub(healthy_engine);
  start({spec_of(engine.url())});
  watch->request_resolve(nullptr);
  EXPECT_TRUE(run_until(io, [&] { return health() == Health::up; }));
}

}  // namespace
}  // namespace kvgate::watch
