#include "sim/dispatch.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "sim/replies.hpp"
#include "sim/routes.hpp"

namespace kvgate::sim {

namespace net = boost::asio;

namespace {

/// As vLLM: only these paths are behind --api-key.
bool authorized(EngineState const& engine, Request const& request) {
  auto const& key = engine.options.api_key;
  auto const& path = request.path;
  bool const guarded = path.starts_with("/v1") || path.starts_with("/v2");
  return key.empty() || !guarded || request.authorization == "Bearer " + key;
}

Reply no_route(std::string const& allow) {
  if (allow.empty()) return detail_reply(404, "Not Found");
  auto reply = detail_reply(405, "Method Not Allowed");
  reply.headers.emplace_back("allow", allow);
  return reply;
}

Reply fault_reply(Fault const& fault) {
  auto reply = fault.status == 503   ? overloaded()
               : fault.status == 429 ? error_reply(429, "Too Many Requests", "Rate limit exceeded.")
                                     : error_reply(fault.status, "InternalServerError", "Internal server error");
  if (fault.retry_after) reply.headers.emplace_back("retry-after", std::to_string(*fault.retry_after));
  return reply;
}

/// What goes wrong before the endpoint is asked. False: the exchange is over.
net::awaitable<bool> strike_before_head(Exchange& exchange, Fault const& fault) {
  if (fault.kind == FaultKind::slow_head) {
    net::steady_timer timer(co_await net::this_coro::executor, fault.delay);
    co_await timer.async_wait(net::use_awaitable);
    co_return true;
  }
  if (fault.kind == FaultKind::status) {
    auto reply = fault_reply(fault);
    co_await exchange.send(std::move(reply));
    co_return false;
  }
  if (fault.kind == FaultKind::hang) co_await exchange.silence();
  if (fault.kind == FaultKind::refuse) exchange.engine().apply(fault);
  bool const closes = fault.kind == FaultKind::close_before_head;
  bool const resets = fault.kind == FaultKind::reset_before_head || fault.kind == FaultKind::refuse;
  if (closes || resets) exchange.drop(resets);
  co_return !closes && !resets;
}

/// The request's own fault, else the next that waits. Errors as parse_fault().
Result<Fault> fault_for(Exchange& exchange, Route const& route) {
  auto& engine = exchange.engine();
  if (!exchange.request().fault.empty()) return parse_fault(exchange.request().fault);
  return route.inference ? engine.faults.take() : Fault();
}

net::awaitable<void> serve_route(Exchange& exchange, Route const& route) {
  auto& engine = exchange.engine();
  ++engine.stats.paths[std::string(route.path)];
  if (route.inference) ++engine.stats.requests;
  auto const fault = fault_for(exchange, route);
  if (!fault) {
    auto reply = error_reply(400, "BadRequestError", fault.error().message, "x-sim-fault");
    co_await exchange.send(std::move(reply));
    co_return;
  }
  if (fault->kind != FaultKind::none) ++engine.stats.faults;
  if (is_state(fault->kind)) engine.apply(*fault);
  if (!co_await strike_before_head(exchange, *fault)) co_return;
  exchange.arm(*fault);
  co_await route.handler(exchange);
  if (route.inference && exchange.status() == 200) ++engine.stats.finished;
}

}  // namespace

net::awaitable<void> dispatch(Exchange& exchange) {
  auto& request = exchange.request();
  if (!authorized(exchange.engine(), request)) {
    auto reply = unauthorized();
    co_await exchange.send(std::move(reply));
    co_return;
  }
  auto match = find_route(request.method, request.path, exchange.engine().options.dev_mode);
  if (match.route == nullptr) {
    auto reply = no_route(match.allow);
    co_await exchange.send(std::move(reply));
    co_return;
  }
  request.segment = std::move(match.segment);
  co_await serve_route(exchange, *match.route);
}

}  // namespace kvgate::sim
