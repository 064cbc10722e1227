#include "watch/watch.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <algorithm>
#include <deque>
#include <exception>

#include "base/log.hpp"
#include "watch/engine.hpp"
#include "watch/engine_stats.hpp"
#include "watch/health.hpp"
#include "watch/models.hpp"
#include "watch/resolver.hpp"
#include "watch/token_check.hpp"

namespace kvgate::watch {

/// Every loop's completion handler holds a share, so that it outlives their frames.
struct Watch::State : std::enable_shared_from_this<State> {
  explicit State(Context surroundings) : context(std::move(surroundings)) {}

  void spawn(net::awaitable<void> loop);
  void ended(std::exception_ptr failure) const noexcept;

  Context context;
  std::deque<Engine> engines;
  std::deque<net::cancellation_signal> signals;
  bool stopped = false;
};

void Watch::State::spawn(net::awaitable<void> loop) {
  auto const slot = signals.emplace_back().slot();
  auto done = [self = shared_from_this()](std::exception_ptr failure) { self->ended(failure); };
  net::co_spawn(context.io, std::move(loop), net::bind_cancellation_slot(slot, std::move(done)));
}

void Watch::State::ended(std::exception_ptr failure) const noexcept try {
  // After stop() the loops end by an exception: that is how cancellation looks in a coroutine.
  if (failure && !stopped) std::rethrow_exception(failure);
} catch (std::exception const& error) {
  log::error("a watch loop has ended: {}", error.what());
}

Watch::Watch(Context context) : state_(std::make_shared<State>(std::move(context))) {}

Watch::~Watch() = default;

void Watch::start() {
  auto& state = *state_;
  for (auto const& member : state.context.registry.current()->members) {
    auto& engine = state.engines.emplace_back(state.context.io.get_executor(), member.endpoint);
    state.spawn(watch_addresses(state.context, engine));
    state.spawn(watch_health(state.context, engine));
    state.spawn(watch_models(state.context, engine));
    state.spawn(watch_stats(state.context, engine));
    state.spawn(watch_tokens(state.context, engine));
  }
}

void Watch::stop() {
  state_->stopped = true;
  for (auto& signal : state_->signals) signal.emit(net::cancellation_type::terminal);
}

void Watch::tokens_changed() {
  net::post(state_->context.io, [weak = std::weak_ptr(state_)] {
    auto const state = weak.lock();
    if (!state) return;
    for (auto& engine : state->engines) engine.tokens_bell.ring();
  });
}

void Watch::tokenize(std::shared_ptr<fleet::Endpoint const> endpoint, std::string body,
                     std::function<void(Tokens)> done) {
  net::post(state_->context.io, [weak = std::weak_ptr(state_), endpoint = std::move(endpoint), body = std::move(body),
                                 done = std::move(done)]() mutable {
    auto const state = weak.lock();
    if (!state) return done(std::nullopt);
    auto const is_it = [&](Engine const& engine) { return engine.endpoint == endpoint; };
    auto const engine = std::ranges::find_if(state->engines, is_it);
    if (engine == state->engines.end()) return done(std::nullopt);
    auto finish = [state, done = std::move(done)](std::exception_ptr failure, Tokens tokens) {
      done(failure ? std::nullopt : std::move(tokens));
    };
    net::co_spawn(state->context.io, ask_tokens(state->context, *engine, std::move(body)), std::move(finish));
  });
}

void Watch::request_resolve(std::shared_ptr<fleet::Endpoint const> endpoint) {
  net::post(state_->context.io, [weak = std::weak_ptr(state_), endpoint = std::move(endpoint)] {
    auto const state = weak.lock();
    if (!state) return;
    for (auto& engine : state->engines) {
      if (engine.endpoint == endpoint) engine.resolve_bell.ring();
    }
  });
}

}  // namespace kvgate::watch
