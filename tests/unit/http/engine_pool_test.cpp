#include "http/engine_pool.hpp"

#include "socket_fixture.hpp"

namespace kvgate::http {
namespace {

using namespace std::chrono_literals;
using test::Peer;

class EnginePoolTest : public test::SocketTest {
 protected:
  struct Engine {
    std::unique_ptr<EngineConnection> connection;
    Peer peer;
    EngineConnection* address;
  };

  Engine connect() {
    auto pair = make_pair();
    auto connection = std::make_unique<EngineConnection>(std::move(pair.stream), wheel);
    EXPECT_TRUE(until([&] { return connection->stream().can_send(); }));
    auto* const address = connection.get();
    return {std::move(connection), std::move(pair.peer), address};
  }

  int closed_idle = 0;
  EnginePool pool{1h, [this] { ++closed_idle; }};
  int a = 0, b = 0;   // keys
};

TEST_F(EnginePoolTest, GivesTheLastUsedOfTheSameEndpoint) {
  auto first = connect(), second = connect(), other = connect();
  EXPECT_FALSE(pool.take(&a));
  EXPECT_FALSE(first.connection->reused());
  pool.put(&a, std::move(first.connection));
  pool.put(&a, std::move(second.connection));
  pool.put(&b, std::move(other.connection));
  EXPECT_EQ(pool.size(), 3u);
  auto const taken = pool.take(&a);
  EXPECT_EQ(taken.get(), second.address);
  EXPECT_TRUE(taken->reused());
  EXPECT_EQ(pool.take(&a).get(), first.address);
  EXPECT_FALSE(pool.take(&a));
  EXPECT_EQ(pool.take(&b).get(), other.address);
  EXPECT_EQ(pool.size(), 0u);
  EXPECT_EQ(closed_idle, 0);
}

TEST_F(EnginePoolTest, ClosesWhatSpeaksOrLeavesWhileIdle) {
  auto speaks = connect(), ends = connect(), leaves = connect(), stays = connect();
  for (auto* engine : {&speaks, &ends, &leaves, &stays}) pool.put(&a, std::move(engine->connection));
  speaks.peer.send("HTTP/1.1 408 Request Timeout\r\n");
  ends.peer.end_sending();
  leaves.peer.close();
  ASSERT_TRUE(until([&] { return pool.size() == 1; }));
  EXPECT_EQ(closed_idle, 3);
  char byte;
  EXPECT_EQ(::recv(ends.peer.fd(), &byte, 1, MSG_DONTWAIT), 0);   // our end is closed as well
  EXPECT_EQ(pool.take(&a).get(), stays.address);
}

TEST_F(EnginePoolTest, DoesNotKeepWhatIsNotQuiet) {
  auto speaks = connect(), ends = connect();
  speaks.peer.send("x");
  ends.peer.end_sending();
  ASSERT_TRUE(until([&] { return speaks.connection->stream().can_recv() && ends.connection->stream().peer_closed(); }));
  pool.put(&a, std::move(speaks.connection));
  pool.put(&a, std::move(ends.connection));
  EXPECT_EQ(pool.size(), 0u);
  EXPECT_FALSE(pool.take(&a));
}

TEST_F(EnginePoolTest, ClosesAfterTheIdleTimeout) {
  EnginePool brief(60ms, [this] { ++closed_idle; });
  auto idle = connect(), used = connect();
  auto const start = Clock::now();
  brief.put(&a, std::move(idle.connection));
  brief.put(&a, std::move(used.connection));
  auto const taken = brief.take(&a);
  ASSERT_TRUE(until([&] { return brief.size() == 0; }));
  EXPECT_GE(Clock::now() - start, 60ms);
  EXPECT_EQ(closed_idle, 1);
  // The one in use is not touched, however long it takes.
  EXPECT_EQ(taken->stream().send("x").state, IoState::ok);
}

TEST_F(EnginePoolTest, ClearClosesAll) {
  auto engine = connect();
  pool.put(&a, std::move(engine.connection));
  pool.clear();
  EXPECT_EQ(pool.size(), 0u);
  char byte;
  EXPECT_EQ(::recv(engine.peer.fd(), &byte, 1, MSG_DONTWAIT), 0);
}

}  // namespace
}  // namespace kvgate::http
