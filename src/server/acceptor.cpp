#include "server/acceptor.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "http/lookup.hpp"

namespace kvgate::server {
namespace {

constexpr int kBatch = 64;                              // accepted in one turn of the loop
constexpr std::chrono::milliseconds kPause{100};

[[noreturn]] void fail(std::string const& host, std::uint16_t port, int error) {
  throw std::system_error(error, std::generic_category(), "cannot listen on " + host + ":" + std::to_string(port));
}

SocketAddress resolve(std::string const& host, std::uint16_t port) {
  if (auto literal = address_of_literal(host, port)) return *literal;
  auto const found = http::system_lookup(host, port);
  if (!found) fail(host, port, EADDRNOTAVAIL);
  return found->front();
}

int listen_on(std::string const& host, std::uint16_t port) {
  auto const address = resolve(host, port);
  int const fd = socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) fail(host, port, errno);
  int const on = 1, off = 0;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.family() == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  // Accepted sockets inherit these: two system calls less per connection.
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  if (bind(fd, address.get(), address.length) != 0 || listen(fd, SOMAXCONN) != 0) {
    int const error = errno;
    close(fd);
    fail(host, port, error);
  }
  return fd;
}

}  // namespace

Acceptor::Acceptor(boost::asio::io_context& io, Options options, Hooks hooks)
    : options_(std::move(options)), hooks_(std::move(hooks)), socket_(io, listen_on(options_.host, options_.port)),
      pause_(io) {
  address_.length = sizeof address_.storage;
  getsockname(socket_.native_handle(), reinterpret_cast<sockaddr*>(&address_.storage), &address_.length);
  wait();
}

void Acceptor::stop() {
  pause_.cancel();
  boost::system::error_code ignored;
  socket_.close(ignored);
}

void Acceptor::wait() {
  socket_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](boost::system::error_code error) {
    if (!error) accept_some();
  });
}

void Acceptor::accept_some() {
  for (int i = 0; i < kBatch; ++i) {
    if (options_.max_connections && hooks_.open_connections() >= options_.max_connections) return pause();
    SocketAddress peer;
    peer.length = sizeof peer.storage;
    int const fd = accept4(socket_.native_handle(), reinterpret_cast<sockaddr*>(&peer.storage), &peer.length,
                           SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      hooks_.accepted(fd, peer);
      continue;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) return pause();
    if (errno == EAGAIN) break;   // other errors belong to the connection that failed, not to us
  }
  wait();
}

void Acceptor::pause() {
  hooks_.paused();
  pause_.expires_after(kPause);
  pause_.async_wait([this](boost::system::error_code error) {
    if (!error) wait();
  });
}

}  // namespace kvgate::server
