#include "http/stream.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace kvgate::http {
namespace {

void set_option(int fd, int level, int name, int value) noexcept { setsockopt(fd, level, name, &value, sizeof value); }

bool would_block() noexcept { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

Stream::Stream(int fd, Poller& poller) : fd_(fd), poller_(poller) {
  if (!poller_.add(fd_, readiness_)) readiness_ = {true, true, true, true, nullptr};   // the first call will fail
}

Stream::~Stream() {
  poller_.remove(fd_, readiness_);
  close(fd_);
}

void Stream::abort() noexcept {
  linger const now{1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

bool Stream::quiet() {
  if (peer_closed()) return false;
  char unexpected;
  return !can_recv() || recv(&unexpected, 1).state == IoState::again;
}

IoResult Stream::send(std::string_view bytes) {
  iovec const piece{const_cast<char*>(bytes.data()), bytes.size()};
  return send(std::span(&piece, 1));
}

IoResult TcpStream::recv(char* data, std::size_t size) {
  auto const n = ::recv(fd_, data, size, 0);
  if (n > 0) {
    // A short read has emptied the socket, unless a FIN came in the same event as the data.
    if (static_cast<std::size_t>(n) < size && !readiness_.peer_closed) readiness_.readable = false;
    return {IoState::ok, static_cast<std::size_t>(n)};
  }
  if (n == 0) return {IoState::closed};
  if (!would_block()) return {IoState::error};
  readiness_.readable = false;
  return {IoState::again};
}

IoResult TcpStream::send(std::span<iovec const> pieces) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(pieces.data());
  message.msg_iovlen = pieces.size();
  auto const n = ::sendmsg(fd_, &message, MSG_NOSIGNAL);
  if (n >= 0) return {IoState::ok, static_cast<std::size_t>(n)};
  if (!would_block()) return {IoState::error};
  readiness_.writable = false;
  return {IoState::again};
}

int start_connect(SocketAddress const& address) noexcept {
  int const fd = socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 15);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 60'000);
  if (connect(fd, address.get(), address.length) == 0 || errno == EINPROGRESS) return fd;
  int const error = errno;
  close(fd);
  errno = error;
  return -1;
}

int connect_error(int fd) noexcept {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

}  // namespace kvgate::http
