// A connection as a byte stream over a non-blocking socket: TCP, or TLS on it. Calls never block; `again` means: wait until
// can_recv() or can_send() says true.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/address.hpp"
#include "http/poller.hpp"

namespace kvgate::http {

class TlsContext;

enum class IoState : std::uint8_t { ok, again, closed, error };

struct IoResult {
  IoState state = IoState::ok;
  std::size_t bytes = 0;
};

/// Owns its descriptor; registered with one worker's Poller for life. Not thread-safe.
class Stream {
 public:
  virtual ~Stream();
  Stream(Stream const&) = delete;
  Stream& operator=(Stream const&) = delete;

  /// Reads at most `size` (> 0) bytes. `closed`: the peer has ended its side properly.
  virtual IoResult recv(char* data, std::size_t size) = 0;
  /// Sends the pieces in order, as one segment where the kernel can; may send only a part.
  virtual IoResult send(std::span<iovec const> pieces) = 0;
  /// TLS handshake; `ok` at once for TCP.
  virtual IoResult handshake() { return {}; }
  virtual bool can_recv() const noexcept { return readiness_.readable; }
  virtual bool can_send() const noexcept { return readiness_.writable; }

  IoResult send(std::string_view bytes);
  /// Nothing has come that nobody asked for: the connection may carry another request.
  bool quiet();
  /// News of it has been fetched from the kernel, and is told later in this turn of the loop.
  bool news_pending() const noexcept { return poller_.pending(readiness_); }
  /// FIN or reset seen, or an error.
  bool peer_closed() const noexcept { return readiness_.peer_closed; }
  bool broken() const noexcept { return readiness_.broken; }
  void listen(Listener* listener) noexcept { readiness_.listener = listener; }
  int fd() const noexcept { return fd_; }
  /// Closes with a reset: what is queued is thrown away, and the peer can tell it from a proper end.
  void abort() noexcept;

 protected:
  Stream(int fd, Poller& poller);

  int fd_;
  Readiness readiness_;

 private:
  Poller& poller_;
};

/// An accepted or connecting TCP socket. Takes the descriptor over; check registered().
class TcpStream : public Stream {
 public:
  TcpStream(int fd, Poller& poller) : Stream(fd, poller) {}
  using Stream::send;
  IoResult recv(char* data, std::size_t size) override;
  IoResult send(std::span<iovec const> pieces) override;
};

/// Starts a non-blocking connect to an engine (TCP_NODELAY, keepalive, TCP_USER_TIMEOUT set). -1: errno says why.
int start_connect(SocketAddress const& address) noexcept;

/// After the descriptor became writable: 0 when connected, else the errno of the failure.
int connect_error(int fd) noexcept;

/// TLS over a connected descriptor, as client, with SNI and host name check for `host`. Takes the descriptor over, unless
/// it returns null: no memory.
std::unique_ptr<Stream> make_tls_stream(int fd, Poller& poller, TlsContext const& context, std::string const& host);

}  // namespace kvgate::http
