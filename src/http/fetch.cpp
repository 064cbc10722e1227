#include "http/fetch.hpp"

#include <openssl/ssl.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstring>
#include <optional>

#include "http/tls_context.hpp"
#include "kvgate/clock.hpp"

namespace kvgate::http {
namespace {

namespace beast_http = boost::beast::http;
using boost::system::error_code;
using tcp = net::ip::tcp;
using TlsSocket = net::ssl::stream<tcp::socket&>;

constexpr auto as_result = net::as_tuple(net::use_awaitable);
constexpr std::size_t kMaxHead = 64 * 1024;
constexpr std::size_t kReadSize = 64 * 1024;  // an engine's metrics in two reads

constexpr std::string_view kReasons[] = {"no_descriptor",  "resolve_failed", "connect_refused", "connect_failed", "tls_failed",
                                         "closed",         "reset",           "timeout",        "bad_response",
                                         "too_large",      "truncated"};

Error fail(ErrorKind kind, std::string const& code, std::string const& detail) {
  return Error(kind, code + ": " + detail);
}

Error connect_error_of(error_code ec) {
  bool const ours = ec == net::error::no_descriptors || ec == net::error::no_buffer_space || ec == net::error::no_memory;
  auto const* const code = ours                                  ? "no_descriptor"
                           : ec == net::error::connection_refused ? "connect_refused"
                                                                  : "connect_failed";
  return fail(ErrorKind::engine_unreachable, code, ec.message());
}

Error transport_error(error_code ec) {
  bool const closed = ec == net::error::eof || ec == net::ssl::error::stream_truncated;
  return fail(ErrorKind::engine_unreachable, closed ? "closed" : "reset", ec.message());
}

Error timeout_error(char const* during) {
  return fail(ErrorKind::engine_timeout, "timeout", during);
}

/// Runs `work` until it ends or the time is over; false: the time is over, and `work` has been cancelled.
net::awaitable<bool> within(Clock::time_point deadline, net::awaitable<void> work) {
  using namespace net::experimental::awaitable_operators;
  net::steady_timer timer(co_await net::this_coro::executor, deadline);
  auto const winner = co_await (std::move(work) || timer.async_wait(net::use_awaitable));
  co_return winner.index() == 0;
}

tcp::endpoint endpoint_of(SocketAddress const& address) {
  tcp::endpoint endpoint;
  endpoint.resize(address.length);
  std::memcpy(endpoint.data(), address.get(), address.length);
  return endpoint;
}

std::string head_of(FetchRequest const& request) {
  std::string head = request.method + " " + request.target + " HTTP/1.1\r\nHost: " + request.url.authority +
                     "\r\nUser-Agent: kvgate/" KVGATE_VERSION "\r\nAccept: */*\r\nConnection: close\r\n";
  for (auto const& [name, value] : request.headers) head += name + ": " + value + "\r\n";
  if (!request.body.empty()) head += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  return head + "\r\n";
}

/// Collects an answer from bytes that are cut anywhere.
class Answer {
 public:
  explicit Answer(FetchRequest const& request) {
    parser_.eager(true);
    parser_.header_limit(kMaxHead);
    parser_.body_limit(request.max_body);
    parser_.skip(request.method == "HEAD");
  }

  bool done() const { return parser_.is_done(); }

  std::optional<Error> feed(std::string_view bytes) {
    pending_.append(bytes);
    error_code ec;
    pending_.erase(0, parser_.put(net::buffer(pending_), ec));
    if (!ec || ec == beast_http::error::need_more) return std::nullopt;
    auto const* const code = ec == beast_http::error::body_limit ? "too_large" : "bad_response";
    return fail(ErrorKind::engine_bad_response, code, ec.message());
  }

  /// The connection has ended: fine when that is how the body ends.
  std::optional<Error> end(error_code how) {
    if (!parser_.got_some() && pending_.empty()) return transport_error(how);
    error_code ec;
    if (how == net::error::eof) parser_.put_eof(ec);
    if (how == net::error::eof && !ec) return std::nullopt;
    return fail(ErrorKind::engine_bad_response, "truncated", how.message());
  }

  FetchResponse take() {
    FetchResponse response;
    auto message = parser_.release();
    response.status = message.result_int();
    response.content_type = std::string(message[beast_http::field::content_type]);
    response.body = std::move(message.body());
    return response;
  }

 private:
  beast_http::response_parser<beast_http::string_body> parser_;
  std::string pending_;
};

template <class Stream>
net::awaitable<Result<FetchResponse>> exchange(Stream& stream, FetchRequest const& request) {
  auto const message = head_of(request) + request.body;
  auto const [write_error, written] = co_await net::async_write(stream, net::buffer(message), as_result);
  // An engine may answer and close before it has read everything: the answer counts.
  if (write_error && written == 0) co_return transport_error(write_error);
  Answer answer(request);
  std::vector<char> buffer(kReadSize);
  while (!answer.done()) {
    auto const [ec, size] = co_await stream.async_read_some(net::buffer(buffer), as_result);
    auto problem = ec ? answer.end(ec) : answer.feed({buffer.data(), size});
    if (problem) co_return std::move(*problem);
    if (ec) break;
  }
  co_return answer.take();
}

/// One try within the call; lives in the frame of fetch().
struct Attempt {
  Attempt(net::any_io_executor const& executor, FetchRequest const& what, TlsContext const& trusted)
      : request(what), tls(trusted), socket(executor), deadline(Clock::now() + what.timeout) {}

  FetchRequest const& request;
  TlsContext const& tls;
  tcp::socket socket;
  Clock::time_point const deadline;
  Result<FetchResponse> result;

  net::awaitable<void> run();
  net::awaitable<std::optional<Error>> connect(Addresses addresses);
  net::awaitable<void> connect_to(tcp::endpoint endpoint, error_code& ec);
  net::awaitable<Result<FetchResponse>> exchange_tls();
};

net::awaitable<void> Attempt::run() {
  auto addresses = request.addresses;
  if (addresses.empty()) {
    auto found = co_await look_up(request.url.host, request.url.port, system_lookup);
    if (!found) {
      result = found.error();
      co_return;
    }
    addresses = std::move(*found);
  }
  if (auto error = co_await connect(std::move(addresses))) {
    result = std::move(*error);
  } else if (request.url.tls) {
    result = co_await exchange_tls();
  } else {
    result = co_await exchange(socket, request);
  }
}

net::awaitable<std::optional<Error>> Attempt::connect(Addresses addresses) {
  Error error;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    // A fair share of the time each, so that one address that swallows packets does not hide one that works.
    auto const now = Clock::now();
    auto const share = (deadline - now) / static_cast<int>(addresses.size() - i);
    error_code ec;
    bool in_time = true;
    if (i + 1 < addresses.size()) {
      in_time = co_await within(now + share, connect_to(endpoint_of(addresses[i]), ec));
    } else {
      co_await connect_to(endpoint_of(addresses[i]), ec);   // its share is all that is left: fetch() sees to that
    }
    if (in_time && !ec) co_return std::nullopt;
    error = in_time ? connect_error_of(ec) : timeout_error("connect");
  }
  co_return error;
}

net::awaitable<void> Attempt::connect_to(tcp::endpoint endpoint, error_code& ec) {
  error_code ignored;
  socket.close(ignored);
  std::tie(ec) = co_await socket.async_connect(endpoint, as_result);
}

net::awaitable<Result<FetchResponse>> Attempt::exchange_tls() {
  auto session = tls.new_session(request.url.host);
  if (!session) co_return fail(ErrorKind::engine_unreachable, "tls_failed", "no session");
  auto* const ssl = session.release();
  TlsSocket stream(socket, ssl);
  auto const [ec] = co_await stream.async_handshake(net::ssl::stream_base::client, as_result);
  if (ec) {
    auto const verdict = SSL_get_verify_result(ssl);
    auto const why = verdict == X509_V_OK ? ec.message() : X509_verify_cert_error_string(verdict);
    co_return fail(ErrorKind::engine_unreachable, "tls_failed", why);
  }
  co_return co_await exchange(stream, request);
}

}  // namespace

net::awaitable<Result<FetchResponse>> fetch(FetchRequest request, TlsContext const& tls) {
  Attempt attempt(co_await net::this_coro::executor, request, tls);
  if (!co_await within(attempt.deadline, attempt.run())) co_return timeout_error("no complete answer");
  co_return std::move(attempt.result);
}

std::string_view fetch_reason(Error const& error) noexcept {
  std::string_view const message = error.message;
  for (auto const reason : kReasons) {
    if (message.starts_with(reason) && message.substr(reason.size()).starts_with(':')) return reason;
  }
  return "failed";
}

}  // namespace kvgate::http
