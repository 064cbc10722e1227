#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstring>

#include "http/stream.hpp"
#include "http/tls_context.hpp"

namespace kvgate::http {
namespace {

constexpr std::size_t kRecord = 16 * 1024;   // the largest TLS record

/// OpenSSL works on the descriptor itself; the stream only waits for what it asks for.
class TlsStream final : public Stream {
 public:
  TlsStream(int fd, Poller& poller, UniqueSsl ssl) : Stream(fd, poller), ssl_(std::move(ssl)) {
    SSL_set_fd(ssl_.get(), fd);
  }

  IoResult handshake() override { return result(SSL_connect(ssl_.get()), recv_wants_write_); }

  IoResult recv(char* data, std::size_t size) override {
    auto const n = SSL_read(ssl_.get(), data, static_cast<int>(std::min<std::size_t>(size, 1u << 30)));
    return result(n, recv_wants_write_);
  }

  // Small pieces travel in one record: a head and its first body bytes must not be two segments.
  IoResult send(std::span<iovec const> pieces) override {
    char joined[kRecord];
    std::size_t size = 0;
    for (auto const& piece : pieces) {
      auto const n = std::min(piece.iov_len, kRecord - size);
      std::memcpy(joined + size, piece.iov_base, n);
      size += n;
      if (size == kRecord) break;
    }
    return result(SSL_write(ssl_.get(), joined, static_cast<int>(size)), send_wants_write_);
  }

  bool can_recv() const noexcept override {
    return SSL_pending(ssl_.get()) > 0 || (recv_wants_write_ ? readiness_.writable : readiness_.readable);
  }
  bool can_send() const noexcept override { return send_wants_write_ ? readiness_.writable : readiness_.readable; }

 private:
  IoResult result(int n, bool& wants_write) {
    if (n > 0) return {IoState::ok, static_cast<std::size_t>(n)};
    auto const error = SSL_get_error(ssl_.get(), n);
    ERR_clear_error();
    if (error == SSL_ERROR_ZERO_RETURN) return {IoState::closed};
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return {IoState::error};
    wants_write = error == SSL_ERROR_WANT_WRITE;
    (wants_write ? readiness_.writable : readiness_.readable) = readiness_.broken;
    return {IoState::again};
  }

  UniqueSsl ssl_;
  bool recv_wants_write_ = false;
  bool send_wants_write_ = true;
};

}  // namespace

std::unique_ptr<Stream> make_tls_stream(int fd, Poller& poller, TlsContext const& context, std::string const& host) {
  auto session = context.new_session(host);
  if (!session) return nullptr;
  SSL_set_mode(session.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return std::make_unique<TlsStream>(fd, poller, std::move(session));
}

}  // namespace kvgate::http
