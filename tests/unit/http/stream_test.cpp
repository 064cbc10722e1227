#include "http/stream.hpp"

#include <poll.h>

#include <thread>

#include "socket_fixture.hpp"

namespace kvgate::http {
namespace {

using StreamTest = test::SocketTest;
using namespace std::chrono_literals;
using test::CountingListener;
using test::Peer;
using test::read_some;

TEST_F(StreamTest, SaysWhenBytesAreThere) {
  auto pair = make_pair();
  auto& stream = *pair.stream;
  ASSERT_TRUE(until([&] { return stream.can_send(); }));
  EXPECT_FALSE(stream.can_recv());
  EXPECT_TRUE(stream.quiet());
  pair.peer.send("hello");
  ASSERT_TRUE(until([&] { return stream.can_recv(); }));
  IoState state;
  EXPECT_EQ(read_some(stream, state, 3), "hel");
  EXPECT_EQ(state, IoState::ok);
  EXPECT_TRUE(stream.can_recv());
  EXPECT_EQ(read_some(stream, state), "lo");
  EXPECT_FALSE(stream.can_recv());
  EXPECT_EQ(read_some(stream, state), "");
  EXPECT_EQ(state, IoState::again);
}

TEST_F(StreamTest, SendsThePiecesInOrder) {
  auto pair = make_pair();
  std::string a = "head", b = "body";
  iovec const pieces[] = {{a.data(), a.size()}, {nullptr, 0}, {b.data(), b.size()}};
  auto const sent = pair.stream->send(pieces);
  EXPECT_EQ(sent.state, IoState::ok);
  EXPECT_EQ(sent.bytes, 8u);
  EXPECT_EQ(pair.peer.take(), "headbody");
}

TEST_F(StreamTest, WaitsForASlowReader) {
  auto pair = make_pair();
  auto& stream = *pair.stream;
  ASSERT_TRUE(until([&] { return stream.can_send(); }));
  std::string const block(64 * 1024, 'x');
  std::size_t sent = 0;
  IoResult result;
  while ((result = stream.send(block)).state == IoState::ok) sent += result.bytes;
  EXPECT_EQ(result.state, IoState::again);
  EXPECT_FALSE(stream.can_send());
  std::size_t got = 0;
  for (std::string bytes; !(bytes = pair.peer.take()).empty();) got += bytes.size();
  EXPECT_EQ(got, sent);
  EXPECT_TRUE(until([&] { return stream.can_send(); }));
}

TEST_F(StreamTest, SeesTheEndBehindUnreadBytes) {
  auto pair = make_pair();
  auto& stream = *pair.stream;
  pair.peer.send("unread");
  pair.peer.end_sending();
  ASSERT_TRUE(until([&] { return stream.peer_closed(); }));
  EXPECT_FALSE(stream.broken());
  EXPECT_FALSE(stream.quiet());
  IoState state;
  EXPECT_EQ(read_some(stream, state), "unread");
  EXPECT_TRUE(stream.can_recv());
  read_some(stream, state);
  EXPECT_EQ(state, IoState::closed);
  EXPECT_EQ(stream.send("still").state, IoState::ok);
  EXPECT_EQ(pair.peer.take(), "still");
}

TEST_F(StreamTest, IsNotQuietWhenThePeerSpoke) {
  auto pair = make_pair();
  pair.peer.send("x");
  ASSERT_TRUE(until([&] { return pair.stream->can_recv(); }));
  EXPECT_FALSE(pair.stream->quiet());
}

TEST_F(StreamTest, AnAbortIsAResetForThePeer) {
  auto pair = make_tcp_pair();
  pair.stream->abort();
  pair.stream.reset();
  char byte;
  EXPECT_EQ(::recv(pair.peer.fd(), &byte, 1, 0), -1);
  EXPECT_EQ(errno, ECONNRESET);
}

TEST_F(StreamTest, AnOrdinaryCloseIsAnEndForThePeer) {
  auto pair = make_tcp_pair();
  pair.stream->send("bye");
  pair.stream.reset();
  char bytes[8];
  EXPECT_EQ(::recv(pair.peer.fd(), bytes, sizeof bytes, 0), 3);
  EXPECT_EQ(::recv(pair.peer.fd(), bytes, sizeof bytes, 0), 0);
}

TEST_F(StreamTest, TellsAResetFromAnEnd) {
  auto pair = make_tcp_pair();
  auto& stream = *pair.stream;
  linger const now{1, 0};
  setsockopt(pair.peer.fd(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  pair.peer.close();
  ASSERT_TRUE(until([&] { return stream.broken(); }));
  EXPECT_TRUE(stream.peer_closed());
  IoState state;
  read_some(stream, state);
  EXPECT_EQ(state, IoState::error);
  EXPECT_EQ(stream.send("x").state, IoState::error);   // and no SIGPIPE
}

TEST_F(StreamTest, ConnectsWithoutBlocking) {
  auto pair = make_tcp_pair();
  EXPECT_EQ(connect_error(pair.stream->fd()), 0);
  pair.stream->send("hi");
  pollfd ready{pair.peer.fd(), POLLIN, 0};
  ASSERT_EQ(poll(&ready, 1, 10'000), 1);
  EXPECT_EQ(pair.peer.take(), "hi");
}

TEST_F(StreamTest, SaysThatAConnectWasRefused) {
  Peer listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  auto const address = listen_on_loopback(listener.fd());
  listener.close();
  int const fd = start_connect(address);
  if (fd < 0) {
    EXPECT_EQ(errno, ECONNREFUSED);
    return;
  }
  TcpStream stream(fd, poller);
  ASSERT_TRUE(until([&] { return stream.broken(); }));
  EXPECT_EQ(connect_error(fd), ECONNREFUSED);
}

using PollerTest = test::SocketTest;

TEST_F(PollerTest, TellsTheListenerAndStopsWhenItIsTakenAway) {
  auto pair = make_pair();
  ASSERT_TRUE(until([&] { return pair.stream->can_send(); }));
  CountingListener listener;
  pair.stream->listen(&listener);
  pair.peer.send("x");
  ASSERT_TRUE(until([&] { return listener.news == 1; }));
  pair.stream->listen(nullptr);
  IoState state;
  read_some(*pair.stream, state);
  pair.peer.send("y");
  ASSERT_TRUE(until([&] { return pair.stream->can_recv(); }));
  EXPECT_EQ(listener.news, 1);
}

class Destroyer final : public Listener {
 public:
  void on_news() override { victim.reset(); }
  std::unique_ptr<TcpStream> victim;
};

TEST_F(PollerTest, EventsOfAStreamThatWentInTheSameTurnAreDropped) {
  auto a = make_pair(), b = make_pair();
  ASSERT_TRUE(until([&] { return a.stream->can_send() && b.stream->can_send(); }));
  // Both get news in one turn; the one that is told first destroys the other.
  Destroyer of_a, of_b;
  auto* const first = a.stream.get();
  auto* const second = b.stream.get();
  first->listen(&of_b);
  second->listen(&of_a);
  of_a.victim = std::move(a.stream);
  of_b.victim = std::move(b.stream);
  a.peer.send("x");
  b.peer.send("x");
  ASSERT_TRUE(until([&] { return !of_a.victim || !of_b.victim; }));
  EXPECT_TRUE(of_a.victim || of_b.victim);
}

TEST_F(PollerTest, WaitsNoLongerThanItMay) {
  auto const start = Clock::now();
  poller.wait(0ms);
  poller.wait(30ms);
  EXPECT_GE(Clock::now() - start, 30ms);
  EXPECT_LT(Clock::now() - start, 5s);
}

TEST_F(PollerTest, AnInterruptEndsEachWait) {
  for (int i = 0; i < 3; ++i) {
    poller.interrupt();   // before: the next wait returns at once
    poller.wait(-1ms);
  }
  for (int i = 0; i < 100; ++i) {
    std::thread other([&] { poller.interrupt(); });
    poller.wait(-1ms);
    other.join();
  }
}

}  // namespace
}  // namespace kvgate::http
