// Connected sockets for the tests of poller, stream and pool: our end does not block, the peer is a plain descriptor.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "http/poller.hpp"
#include "http/stream.hpp"
#include "http/timer_wheel.hpp"

namespace kvgate::http::test {

using namespace std::chrono_literals;

class Peer {
 public:
  explicit Peer(int fd = -1) : fd_(fd) {}
  Peer(Peer&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Peer& operator=(Peer&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Peer() { close(); }

  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  void send(std::string_view bytes) const {
    EXPECT_EQ(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  /// What is there now; at most `size` bytes.
  std::string take(std::size_t size = 1 << 20) const {
    std::string bytes(size, '\0');
    auto const n = ::recv(fd_, bytes.data(), size, MSG_DONTWAIT);
    bytes.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
    return bytes;
  }
  void end_sending() const { shutdown(fd_, SHUT_WR); }
  int fd() const { return fd_; }

 private:
  int fd_;
};

class CountingListener final : public Listener {
 public:
  void on_news() override { ++news; }
  int news = 0;
};

class SocketTest : public testing::Test {
 protected:
  struct Pair {
    std::unique_ptr<TcpStream> stream;
    Peer peer;
  };

  Pair make_pair() {
    int fds[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
    return {std::make_unique<TcpStream>(fds[0], poller), Peer(fds[1])};
  }

  /// A connected pair over the loopback device: ours has connected.
  Pair make_tcp_pair() {
    Peer listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    auto const at = listen_on_loopback(listener.fd());
    int const fd = start_connect(at);
    EXPECT_GE(fd, 0);
    Pair pair{std::make_unique<TcpStream>(fd, poller), Peer(accept4(listener.fd(), nullptr, nullptr, SOCK_NONBLOCK))};
    EXPECT_TRUE(until([&] { return pair.stream->can_send(); }));
    return pair;
  }

  static SocketAddress listen_on_loopback(int fd) {
    auto address = *address_of_literal("127.0.0.1", 0);
    EXPECT_EQ(bind(fd, address.get(), address.length), 0);
    EXPECT_EQ(listen(fd, 8), 0);
    getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage), &address.length);
    return address;
  }

  /// Runs a worker's loop until the condition holds; false when it does not in time.
  template <class Condition>
  bool until(Condition condition) {
    for (auto const end = Clock::now() + 10s; !condition();) {
      if (Clock::now() >= end) return false;
      poller.wait(20ms);
      wheel.advance(Clock::now());
    }
    return true;
  }

  Poller poller;
  TimerWheel wheel;
};

inline std::string read_some(Stream& stream, IoState& state, std::size_t size = 1024) {
  std::string bytes(size, '\0');
  auto const result = stream.recv(bytes.data(), size);
  state = result.state;
  bytes.resize(result.bytes);
  return bytes;
}

}  // namespace kvgate::http::test
