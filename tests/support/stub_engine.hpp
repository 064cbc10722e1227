// A scripted HTTP engine on the test's own io_context: answers each request with raw bytes, one request a connection.
#pragma once

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/address.hpp"
#include "kvgate/engine_spec.hpp"
#include "support/tls_identity.hpp"

namespace kvgate::test {

namespace net = boost::asio;
using net::ip::tcp;

/// Runs the loop until the condition holds; false when it does not in time.
template <class Condition>
bool run_until(net::io_context& io, Condition condition, std::chrono::milliseconds at_most = std::chrono::seconds(10)) {
  auto const deadline = std::chrono::steady_clock::now() + at_most;
  io.restart();
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    if (io.run_one_until(deadline) == 0) io.restart();
  }
  return true;
}

inline std::string http_answer(int status, std::string const& body, std::string const& type = "application/json") {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// Must outlive the io_context's work on it: close() it and let the loop run out first.
class StubEngine {
 public:
  /// From the raw head (and what came with it) to the raw answer; nullopt: never answers. Then the connection is
  /// closed.
  using Script = std::function<std::optional<std::string>(std::string const& request)>;

  StubEngine(net::io_context& io, Script script, TlsIdentity const* identity = nullptr)
      : io_(io), script_(std::move(script)), acceptor_(io, tcp::endpoint(net::ip::address_v4::loopback(), 0)) {
    if (identity) identity->install(tls_.emplace(net::ssl::context::tls_server).native_handle());
    port_ = acceptor_.local_endpoint().port();
    accept();
  }
  StubEngine(StubEngine const&) = delete;
  StubEngine& operator=(StubEngine const&) = delete;

  std::uint16_t port() const { return port_; }
  std::vector<std::string> const& requests() const { return requests_; }
  std::string const& server_name() const { return server_name_; }
  std::size_t count(std::string const& start) const {
    return std::count_if(requests_.begin(), requests_.end(), [&](auto const& r) { return r.starts_with(start); });
  }

  /// From now on connections are refused, and the script is not called any more.
  void close() { acceptor_.close(); }
  /// Takes the same port again.
  void reopen() {
    acceptor_ = tcp::acceptor(io_, tcp::endpoint(net::ip::address_v4::loopback(), port_));
    accept();
  }

  EngineUrl url(std::string const& host = "127.0.0.1", std::string const& base = {}) const {
    EngineUrl url;
    url.tls = tls_.has_value();
    url.host = host;
    url.port = port_;
    url.base = base;
    url.authority = host + ":" + std::to_string(port_);
    url.text = (url.tls ? "https://" : "http://") + url.authority + base;
    return url;
  }
  SocketAddress address() const { return *address_of_literal("127.0.0.1", port_); }

 private:
  static constexpr auto kAsResult = net::as_tuple(net::use_awaitable);

  void accept() {
    acceptor_.async_accept([this](boost::system::error_code ec, tcp::socket socket) {
      if (ec) return;
      net::co_spawn(io_, serve(std::move(socket)), net::detached);
      accept();
    });
  }

  net::awaitable<void> serve(tcp::socket socket) {
    if (!tls_) {
      co_await answer(socket);
      co_return;
    }
    net::ssl::stream<tcp::socket&> stream(socket, *tls_);
    auto const [ec] = co_await stream.async_handshake(net::ssl::stream_base::server, kAsResult);
    if (ec) co_return;
    if (auto const* name = SSL_get_servername(stream.native_handle(), TLSEXT_NAMETYPE_host_name)) server_name_ = name;
    co_await answer(stream);
  }

  template <class Stream>
  net::awaitable<void> answer(Stream& stream) {
    std::string request;
    auto const [read_error, size] =
        co_await net::async_read_until(stream, net::dynamic_buffer(request), "\r\n\r\n", kAsResult);
    if (read_error || !acceptor_.is_open()) co_return;
    requests_.push_back(request);
    if (auto const bytes = script_(request)) {
      co_await net::async_write(stream, net::buffer(*bytes), kAsResult);
    } else {
      char rest[1];
      co_await stream.async_read_some(net::buffer(rest), kAsResult);  // until the client gives up
    }
  }

  net::io_context& io_;
  Script script_;
  std::optional<net::ssl::context> tls_;
  tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  std::vector<std::string> requests_;
  std::string server_name_;
};

}  // namespace kvgate::test
