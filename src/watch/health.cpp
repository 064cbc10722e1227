#include "watch/health.hpp"

#include "watch/engine.hpp"

namespace kvgate::watch {
namespace {

using fleet::Health;

constexpr std::string_view kOk = "probe_ok";
constexpr std::string_view kRefused = "probe_refused";
constexpr std::string_view kNoDescriptor = "no_descriptor";
constexpr std::size_t kMaxProbeBody = 64 * 1024;  // nobody reads it

std::string_view verdict(Result<http::FetchResponse> const& result) {
  if (!result) {
    auto const reason = http::fetch_reason(result.error());
    if (reason == "connect_refused") return kRefused;
    if (reason == "no_descriptor") return kNoDescriptor;
    return reason == "timeout" ? "probe_timeout" : "probe_failed";
  }
  return result->status >= 200 && result->status < 300 ? kOk : "probe_status";
}

net::awaitable<std::string_view> probe(Context& context, Engine& engine) {
  auto request = engine_get(engine, context.config.health.path);
  request.timeout = context.config.health.timeout;
  request.max_body = kMaxProbeBody;
  co_return verdict(co_await ask(context, std::move(request)));
}

bool is_out(Health health) {
  return health == Health::suspect || health == Health::down;
}

/// Without probes nothing else would take back what the data path says of a refused connect.
net::awaitable<void> trust_blindly(Context& context, Engine& engine) {
  for (;;) {
    context.registry.set_health(engine.endpoint, Health::up, "health_off");
    co_await engine.health_bell.wait(jittered(context.config.health.interval, context.random));
  }
}

void came_up(Engine& engine, Health before) {
  // At start the models are being asked for already.
  if (is_out(before) || engine.models_failed) engine.models_bell.ring();
}

}  // namespace

std::optional<Health> Judge::probed(bool good, Health now) {
  auto const goal = good ? Health::up : Health::down;
  (good ? bad_ : good_) = 0;
  if (now == goal) return std::nullopt;
  auto& count = good ? good_ : bad_;
  if (++count < (good ? rise_ : fall_)) return std::nullopt;
  count = 0;
  return goal;
}

net::awaitable<void> watch_health(Context& context, Engine& engine) {
  auto const& config = context.config.health;
  if (!config.enabled) co_await trust_blindly(context, engine);
  if (!engine.looked_up) co_await engine.health_bell.wait(config.timeout);
  for (Judge judge(config);;) {
    auto const begin = Clock::now();
    auto const before = engine.endpoint->health();
    auto const seen = co_await probe(context, engine);
    auto const now = engine.endpoint->health();
    if (seen == kNoDescriptor) {   // says nothing of the engine
      co_await engine.health_bell.wait(jittered(config.interval, context.random));
      continue;
    }
    bool const good = seen == kOk;
    if (seen == kRefused && !is_out(now)) context.registry.set_health(engine.endpoint, Health::suspect, seen);
    // The data path took it out while the probe was under way: only a probe that began later may bring it back.
    bool const overtaken = good && !is_out(before) && is_out(now);
    if (auto const next = overtaken ? std::nullopt : judge.probed(good, now)) {
      context.registry.set_health(engine.endpoint, *next, seen);
      if (*next == Health::up) came_up(engine, now);
    }
    co_await engine.health_bell.wait(begin + jittered(config.interval, context.random) - Clock::now());
  }
}

}  // namespace kvgate::watch
