#include "server/acceptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <system_error>
#include <vector>

#include "support/stub_engine.hpp"

namespace kvgate::server {
namespace {

using test::run_until;
using test::tcp;

class AcceptorTest : public testing::Test {
 protected:
  ~AcceptorTest() override {
    for (int fd : accepted) close(fd);
  }

  Acceptor::Hooks hooks() {
    return {[this](int fd, SocketAddress const& peer) { accepted.push_back(fd), peers.push_back(peer); },
            [this] { return accepted.size() - closed; }, [this] { ++pauses; }};
  }
  /// The connect is done by the kernel, also while nobody accepts.
  tcp::socket connect(Acceptor const& acceptor) {
    tcp::socket client(other);
    client.connect({boost::asio::ip::make_address(host_text(acceptor.address())), port_of(acceptor.address())});
    return client;
  }

  boost::asio::io_context io, other;
  std::vector<int> accepted;
  std::vector<SocketAddress> peers;
  std::size_t closed = 0;
  int pauses = 0;
};

TEST_F(AcceptorTest, HandsOverConnectionsWithTheirPeers) {
  Acceptor acceptor(io, {"127.0.0.1", 0, 0}, hooks());
  EXPECT_NE(port_of(acceptor.address()), 0);
  EXPECT_EQ(host_text(acceptor.address()), "127.0.0.1");
  auto const a = connect(acceptor), b = connect(acceptor);
  ASSERT_TRUE(run_until(io, [&] { return accepted.size() == 2; }));
  EXPECT_EQ(port_of(peers[0]), a.local_endpoint().port());
  EXPECT_EQ(port_of(peers[1]), b.local_endpoint().port());
  EXPECT_TRUE(fcntl(accepted[0], F_GETFL) & O_NONBLOCK);
  EXPECT_TRUE(fcntl(accepted[0], F_GETFD) & FD_CLOEXEC);
  int no_delay = 0;
  socklen_t size = sizeof no_delay;
  getsockopt(accepted[0], IPPROTO_TCP, TCP_NODELAY, &no_delay, &size);
  EXPECT_TRUE(no_delay);
  EXPECT_EQ(pauses, 0);
}

TEST_F(AcceptorTest, ListensOnANameToo) {
  Acceptor acceptor(io, {"localhost", 0, 0}, hooks());
  auto const client = connect(acceptor);
  EXPECT_TRUE(run_until(io, [&] { return accepted.size() == 1; }));
}

TEST_F(AcceptorTest, PausesAtTheLimitAndGoesOn) {
  Acceptor acceptor(io, {"127.0.0.1", 0, 2}, hooks());
  auto const a = connect(acceptor), b = connect(acceptor), c = connect(acceptor);
  ASSERT_TRUE(run_until(io, [&] { return pauses >= 2; }));
  EXPECT_EQ(accepted.size(), 2u);
  closed = 1;
  EXPECT_TRUE(run_until(io, [&] { return accepted.size() == 3; }));
}

TEST_F(AcceptorTest, StoppedItRefusesConnectionsAndLetsTheLoopEnd) {
  Acceptor acceptor(io, {"127.0.0.1", 0, 1}, hooks());
  auto const client = connect(acceptor);
  ASSERT_TRUE(run_until(io, [&] { return pauses == 1; }));   // stop while it pauses
  acceptor.stop();
  io.restart();
  io.run();   // returns
  EXPECT_THROW(connect(acceptor), boost::system::system_error);
  EXPECT_EQ(accepted.size(), 1u);
}

TEST_F(AcceptorTest, SaysWhereItCannotListen) {
  Acceptor first(io, {"127.0.0.1", 0, 0}, hooks());
  auto const taken = port_of(first.address());
  struct {
    Acceptor::Options options;
    std::string text;
  } const cases[] = {{{"127.0.0.1", taken, 0}, "127.0.0.1:" + std::to_string(taken)},
                     {{"192.0.2.1", 0, 0}, "192.0.2.1:0"},
                     {{"no-such-host.invalid", 80, 0}, "no-such-host.invalid:80"}};
  for (auto const& c : cases) {
    try {
      Acceptor second(io, c.options, hooks());
      ADD_FAILURE() << c.text;
    } catch (std::system_error const& error) {
      EXPECT_NE(std::string(error.what()).find(c.text), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace kvgate::server
