#include <gmock/gmock.h>

#include <condition_variable>
#include <map>
#include <mutex>

#include "unit/watch/watch_fixture.hpp"

namespace kvgate::watch {
namespace {

/// A name server for tests: answers from a table, or hangs until it is told to go on. Thread-safe.
class Names {
 public:
  void set(std::string const& host, std::string const& address) {
    std::lock_guard lock(mutex_);
    table_[host] = address;
  }
  void forget(std::string const& host) {
    std::lock_guard lock(mutex_);
    table_.erase(host);
  }
  void hang(std::string const& host) {
    std::lock_guard lock(mutex_);
    hanging_ = host;
  }
  void go_on() {
    std::lock_guard lock(mutex_);
    hanging_.clear();
    changed_.notify_all();
  }
  std::size_t asked() {
    std::lock_guard lock(mutex_);
    return asked_;
  }

  Result<http::Addresses> look_up(std::string const& host, std::uint16_t port) {
    std::unique_lock lock(mutex_);
    ++asked_;
    changed_.wait(lock, [&] { return hanging_ != host; });
    auto const found = table_.find(host);
    if (found == table_.end()) return Error(ErrorKind::engine_unreachable, "resolve_failed: " + host);
    return http::Addresses{*address_of_literal(found->second, port)};
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> table_;
  std::string hanging_;
  std::size_t asked_ = 0;
};

class ResolverTest : public WatchTest {
 protected:
  ResolverTest() {
    pace.resolve_every = 1h;
    pace.resolve_gap = 20ms;
    // Look-up threads may outlive the test: they share the names.
    lookup = [names = names](std::string const& host, std::uint16_t port) { return names->look_up(host, port); };
  }
  ~ResolverTest() override { names->go_on(); }

  std::string address(std::size_t i = 0) {
    auto const addresses = endpoint(i)->addresses();
    return addresses->empty() ? "none" : host_text(addresses->front());
  }

  std::shared_ptr<Names> names = std::make_shared<Names>();
};

TEST_F(ResolverTest, AnEngineGivenByNameIsUpAtOnce) {
  auto& engine = stub(healthy_engine);
  names->set("engine", "127.0.0.1");
  start({spec_of(engine.url("engine"))});
  ASSERT_TRUE(run_until(io, [&] { return health() == Health::up && serves("tiny"); }));
  EXPECT_EQ(address(), "127.0.0.1");
  EXPECT_EQ(names->asked(), 1u);
  EXPECT_THAT(engine.requests().at(0), testing::HasSubstr("\r\nHost: engine:"));
}

TEST_F(ResolverTest, FollowsANameThatMovesAndKeepsOneThatIsLost) {
  auto& engine = stub(healthy_engine);
  names->set("engine", "127.0.0.2");
  pace.resolve_every = 20ms;
  start({spec_of(engine.url("engine"))});
  ASSERT_TRUE(run_until(io, [&] { return address() == "127.0.0.2"; }));
  names->set("engine", "127.0.0.1");
  // The new address is probed at once, not at the next turn an hour later.
  ASSERT_TRUE(run_until(io, [&] { return address() == "127.0.0.1" && health() == Health::up; }));
  names->forget("engine");
  auto const before = names->asked();
  ASSERT_TRUE(run_until(io, [&] { return names->asked() >= before + 3; }));
  EXPECT_EQ(address(), "127.0.0.1");
}

TEST_F(ResolverTest, AnUnknownNameIsDownUntilItIsKnown) {
  auto& engine = stub(healthy_engine);
  config.health.interval = 20ms;
  pace.resolve_every = 20ms;
  start({spec_of(engine.url("engine"))});
  ASSERT_TRUE(run_until(io, [&] { return health() == Health::down; }));
  EXPECT_THAT(reasons, testing::ElementsAre("probe_failed"));
  names->set("engine", "127.0.0.1");
  ASSERT_TRUE(run_until(io, [&] { return health() == Health::up && serves("tiny"); }));
}

TEST_F(ResolverTest, TheDataPathCanAskForANewLookUp) {
  auto& engine = stub(healthy_engine);
  names->set("engine", "127.0.0.2");
  start({spec_of(engine.url("engine"))});
  ASSERT_TRUE(run_until(io, [&] { return address() == "127.0.0.2"; }));
  names->set("engine", "127.0.0.1");
  std::thread([&] { watch->request_resolve(endpoint()); }).join();
  EXPECT_TRUE(run_until(io, [&] { return address() == "127.0.0.1"; }));
}

TEST_F(ResolverTest, LookUpsKeepTheirDistanceHoweverOftenAskedFor) {
  auto& engine = stub(healthy_engine);
  names->set("engine", "127.0.0.1");
  pace.resolve_gap = 200ms;
  auto const begin = Clock::now();
  start({spec_of(engine.url("engine"))});
  ASSERT_TRUE(run_until(io, [&] { return health() == Health::up; }));
  for (int i = 0; i < 100; ++i) watch->request_resolve(endpoint());
  ASSERT_TRUE(run_until(io, [&] { return names->asked() == 2; }));
  EXPECT_GE(Clock::now() - begin, 200ms);
}

TEST_F(ResolverTest, AHangingNameServerDelaysNeitherOthersNorTheEnd) {
  auto& engine = stub(healthy_engine);
  names->set("engine", "127.0.0.1");
  names->hang("lost");
  start({spec_of(engine.url("lost")), spec_of(engine.url("engine"))});
  ASSERT_TRUE(run_until(io, [&] { return health(1) == Health::up && serves("tiny", 1); }));
  EXPECT_EQ(address(0), "none");
  stop();  // returns although the look-up hangs
}

TEST_F(ResolverTest, LiteralsAreNotLookedUp) {
  auto& engine = stub(healthy_engine);
  start({spec_of(engine.url())});
  watch->request_resolve(endpoint());
  ASSERT_TRUE(run_until(io, [&] { return health() == Health::up; }));
  EXPECT_EQ(names->asked(), 0u);
}

}  // namespace
}  // namespace kvgate::watch
