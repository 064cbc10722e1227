#include "sim/exchange.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cstdio>
#include <ctime>
#include <string_view>

namespace kvgate::sim {

namespace net = boost::asio;

namespace {

std::string http_date() {
  std::time_t const now = unix_seconds();
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[40];
  auto const size = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &utc);
  return {text, size};
}

void line(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ").append(value).append("\r\n");
}

bool strikes_mid_stream(FaultKind kind) {
  return kind == FaultKind::reset_mid_stream || kind == FaultKind::close_mid_stream || kind == FaultKind::stall;
}

}  // namespace

std::string_view reason_phrase(int status) noexcept {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    default:
      return "Error";
  }
}

Exchange::Exchange(EngineState& engine, net::ip::tcp::socket& socket, Request request)
    : engine_(engine), socket_(socket), request_(std::move(request)) {
  if (!engine_.options.request_id_headers) return;
  echoed_id_ = request_.request_id.empty() ? engine_.unique_id() + engine_.unique_id() : request_.request_id;
}

// The order of the lines is uvicorn's, as recorded.
std::string Exchange::head(Reply const& reply, bool stream) const {
  std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " ";
  head.append(reason_phrase(reply.status)).append("\r\n");
  line(head, "date", http_date());
  line(head, "server", "uvicorn");
  for (auto const& [name, value] : reply.headers) line(head, name, value);
  // The metrics page answers HEAD without a length; everything else that is sized says so.
  bool const bodiless = request_.method == "HEAD" && reply.status == 200;
  if (!stream && !bodiless) line(head, "content-length", std::to_string(reply.body.size()));
  if (!reply.content_type.empty()) line(head, "content-type", reply.content_type);
  if (!reply.plain) line(head, "vary", "Origin");
  if (!reply.plain && !echoed_id_.empty()) line(head, "x-request-id", echoed_id_);
  if (!engine_.options.name.empty()) line(head, "x-sim-engine", engine_.options.name);
  if (request_.close) line(head, "connection", "close");
  if (stream) line(head, "transfer-encoding", "chunked");
  return head.append("\r\n");
}

net::awaitable<bool> Exchange::write(std::string const& bytes) {
  auto const [error, size] = co_await net::async_write(socket_, net::buffer(bytes), net::as_tuple(net::use_awaitable));
  co_return !error;
}

net::awaitable<bool> Exchange::send(Reply reply) {
  auto bytes = head(reply, false);
  if (fault_.kind == FaultKind::close_after_head) {
    co_await write(bytes);
    drop(false);
    co_return false;
  }
  if (strikes_mid_stream(fault_.kind)) {
    bytes.append(reply.body, 0, reply.body.size() / 2);
    if (!co_await write(bytes)) co_return false;
    co_return co_await strike_after(fault_.after);
  }
  if (request_.method != "HEAD") bytes += reply.body;
  if (!co_await write(bytes)) co_return false;
  status_ = reply.status;
  co_return true;
}

net::awaitable<bool> Exchange::open_stream() {
  Reply reply;
  reply.content_type = "text/event-stream; charset=utf-8";
  auto const bytes = head(reply, true);
  if (!co_await write(bytes)) co_return false;
  if (fault_.kind == FaultKind::close_after_head) {
    drop(false);
    co_return false;
  }
  co_return co_await strike_after(0);
}

net::awaitable<bool> Exchange::event(std::string const& text) {
  char size[24];
  auto const length = std::snprintf(size, sizeof size, "%zx\r\n", text.size());
  std::string chunk;
  chunk.reserve(static_cast<std::size_t>(length) + text.size() + 2);
  chunk.append(size, static_cast<std::size_t>(length)).append(text).append("\r\n");
  if (!co_await write(chunk)) co_return false;
  co_return co_await strike_after(++events_);
}

net::awaitable<bool> Exchange::close_stream() {
  std::string const last = "0\r\n\r\n";
  if (!co_await write(last)) co_return false;
  status_ = 200;
  co_return true;
}

net::awaitable<bool> Exchange::strike_after(std::uint32_t events) {
  if (!strikes_mid_stream(fault_.kind) || events != fault_.after) co_return true;
  if (fault_.kind == FaultKind::stall) co_await silence();
  drop(fault_.kind == FaultKind::reset_mid_stream);
  co_return false;
}

void Exchange::drop(bool reset) {
  boost::system::error_code ignored;
  if (reset) socket_.set_option(net::socket_base::linger(true, 0), ignored);
  socket_.close(ignored);
  dropped_ = true;
}

net::awaitable<void> Exchange::silence() {
  net::steady_timer never(co_await net::this_coro::executor, net::steady_timer::time_point::max());
  co_await never.async_wait(net::use_awaitable);
}

}  // namespace kvgate::sim
