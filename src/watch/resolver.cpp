#include "watch/resolver.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.hpp"
#include "watch/engine.hpp"

namespace kvgate::watch {
namespace {

bool same_set(http::Addresses const& a, http::Addresses const& b) {
  return a.size() == b.size() && std::ranges::is_permutation(a, b);
}

/// Whether the engine has other addresses than before. Name servers rotate their answers: order alone is no change.
bool adopt(Engine& engine, http::Addresses found) {
  if (same_set(*engine.endpoint->addresses(), found)) return false;
  engine.endpoint->set_addresses(std::move(found));
  return true;
}

void wake_others(Engine& engine) {
  engine.looked_up = true;
  engine.health_bell.ring();
  engine.models_bell.ring();
  engine.stats_bell.ring();
}

void report(Engine const& engine, Result<http::Addresses> const& found, bool failed_before) {
  if (failed_before == !found) return;
  if (found) {
    log::info("name of {} resolves again", engine.endpoint->url());
  } else {
    log::warn("name of {} does not resolve: {}", engine.endpoint->url(), found.error().message);
  }
}

}  // namespace

net::awaitable<void> watch_addresses(Context& context, Engine& engine) {
  if (!engine.named) co_return;
  auto const& url = engine.endpoint->spec().url;
  net::steady_timer gap(context.io);
  for (bool failed = false;;) {
    auto const begin = Clock::now();
    auto found = co_await http::look_up(url.host, url.port, context.lookup);
    report(engine, found, failed);
    failed = !found;
    bool const changed = found && adopt(engine, std::move(*found));
    if (changed || !engine.looked_up) wake_others(engine);
    co_await engine.resolve_bell.wait(jittered(context.pace.resolve_every, context.random));
    gap.expires_at(begin + context.pace.resolve_gap);
    co_await gap.async_wait(net::as_tuple(net::use_awaitable));
  }
}

}  // namespace kvgate::watch
