#include "sim/session.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdio>
#include <optional>
#include <tuple>

#include "sim/dispatch.hpp"

namespace kvgate::sim {

namespace net = boost::asio;
namespace http = boost::beast::http;
using net::ip::tcp;
using namespace net::experimental::awaitable_operators;

namespace {

constexpr auto kNoThrow = net::as_tuple(net::use_awaitable);
constexpr std::size_t kReadAhead = 65536;  // what a client may send ahead while it is being answered
constexpr std::size_t kHeadLimit = 65536;

class Session {
 public:
  Session(EngineState& engine, tcp::socket socket) : engine_(engine), socket_(std::move(socket)) {
    ++engine_.stats.connections;
    ++engine_.stats.accepted;
  }
  ~Session() { --engine_.stats.connections; }
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;

  net::awaitable<void> run();

 private:
  using Parser = http::request_parser<http::string_body>;

  net::awaitable<bool> more_to_come();
  net::awaitable<bool> read(Parser& parser);
  net::awaitable<void> reject();
  net::awaitable<bool> answer(Request request);
  net::awaitable<void> answer_safely(Exchange& exchange);
  net::awaitable<void> client_gone();
  Request take(Parser& parser);

  EngineState& engine_;
  tcp::socket socket_;
  boost::beast::flat_buffer buffer_;
};

net::awaitable<void> Session::run() {
  do {
    std::optional<Parser> parser(std::in_place);
    parser->header_limit(kHeadLimit);
    parser->body_limit(boost::none);
    if (!co_await read(*parser)) co_return;
    auto request = take(*parser);
    parser.reset();
    if (!co_await answer(std::move(request))) co_return;
  } while (co_await more_to_come());
}

/// Waits for the first byte of the next request, but not longer than an idle connection is kept.
net::awaitable<bool> Session::more_to_come() {
  if (buffer_.size() > 0) co_return true;
  net::steady_timer idle(socket_.get_executor(), engine_.options.keep_alive);
  auto const first =
      co_await (socket_.async_wait(tcp::socket::wait_read, net::use_awaitable) || idle.async_wait(net::use_awaitable));
  co_return first.index() == 0;
}

net::awaitable<bool> Session::read(Parser& parser) {
  auto [error, size] = co_await http::async_read_header(socket_, buffer_, parser, kNoThrow);
  if (!error && boost::beast::iequals(parser.get()[http::field::expect], "100-continue")) {
    constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    std::tie(error, size) = co_await net::async_write(socket_, net::buffer(go_on), kNoThrow);
  }
  if (!error) std::tie(error, size) = co_await http::async_read(socket_, buffer_, parser, kNoThrow);
  bool const left = error == http::error::end_of_stream || error == http::error::partial_message;
  bool const malformed = error.category() == http::make_error_code(http::error::end_of_stream).category();
  if (malformed && !left) co_await reject();
  co_return !error;
}

net::awaitable<void> Session::reject() {
  constexpr std::string_view answer =
      "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
      "content-length: 30\r\n\r\nInvalid HTTP request received.";
  co_await net::async_write(socket_, net::buffer(answer), kNoThrow);
}

Request Session::take(Parser& parser) {
  auto message = parser.release();
  auto const text = [&](auto field) { return std::string(message[field]); };
  Request request;
  request.method = std::string(message.method_string());
  auto const target = std::string(message.target());
  auto const mark = target.find('?');
  request.path = target.substr(0, mark);
  if (mark != std::string::npos) request.query = target.substr(mark + 1);
  request.content_type = text(http::field::content_type);
  request.authorization = text(http::field::authorization);
  request.request_id = text("x-request-id");
  request.fault = text("x-sim-fault");
  request.close = !message.keep_alive();
  request.body = std::move(message.body());
  return request;
}

net::awaitable<bool> Session::answer(Request request) {
  Exchange exchange(engine_, socket_, std::move(request));
  co_await (answer_safely(exchange) || client_gone());
  if (!exchange.complete() && !exchange.dropped()) ++engine_.stats.aborted;
  co_return exchange.complete() && !exchange.request().close;
}

net::awaitable<void> Session::answer_safely(Exchange& exchange) {
  try {
    co_await dispatch(exchange);
  } catch (boost::system::system_error const&) {
    // Cancelled, because the client has left.
  } catch (std::exception const& error) {
    std::fprintf(stderr, "sim: %s\n", error.what());
    exchange.drop(true);
  }
}

net::awaitable<void> Session::client_gone() {
  // Reading is the only way to see the end of the stream, so what else arrives is kept for the next request.
  while (buffer_.size() < kReadAhead) {
    auto const [error, size] = co_await socket_.async_read_some(buffer_.prepare(1024), kNoThrow);
    if (error) co_return;
    buffer_.commit(size);
  }
  net::steady_timer never(socket_.get_executor(), net::steady_timer::time_point::max());
  co_await never.async_wait(net::use_awaitable);
}

}  // namespace

net::awaitable<void> serve_connection(EngineState& engine, tcp::socket socket) {
  boost::system::error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  Session session(engine, std::move(socket));
  co_await session.run();
}

}  // namespace kvgate::sim
