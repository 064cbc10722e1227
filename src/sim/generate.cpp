// The generating endpoints: one flow, told apart by how the body is read and how the answer is worded.
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <nlohmann/json.hpp>

#include "sim/generation.hpp"
#include "sim/handlers.hpp"
#include "sim/replies.hpp"

namespace kvgate::sim {

namespace net = boost::asio;

namespace {

using ReadJob = Parsed<Job> (*)(EngineState&, Request const&);
using MakeShape = std::unique_ptr<Shape> (*)(Job const&);

/// `events` outlives the call: it is a local of the caller, never a temporary in the co_await expression.
net::awaitable<bool> emit(Exchange& exchange, Events const& events) {
  for (auto const& event : events) {
    if (!co_await exchange.event(event)) co_return false;
  }
  co_return true;
}

net::awaitable<bool> emit_tokens(Exchange& exchange, Generation& generation, Shape& shape) {
  while (!generation.done()) {
    auto const token = co_await generation.next();
    auto const events = shape.token(token, generation.usage());
    if (!co_await emit(exchange, events)) co_return false;
  }
  generation.finish();
  co_return true;
}

net::awaitable<void> stream(Exchange& exchange, Generation& generation, Shape& shape) {
  // The head leaves before the prefill: it says nothing about the time to the first token.
  if (!co_await exchange.open_stream()) co_return;
  auto const opening = shape.opening();
  if (!co_await emit(exchange, opening)) co_return;
  co_await generation.prefill();
  auto const first = shape.first(generation.usage());
  if (!co_await emit(exchange, first)) co_return;
  if (!co_await emit_tokens(exchange, generation, shape)) co_return;
  auto const closing = shape.closing(generation.usage());
  if (!co_await emit(exchange, closing)) co_return;
  co_await exchange.close_stream();
}

net::awaitable<Json> compute(Generation& generation, Shape& shape) {
  co_await generation.prefill();
  while (!generation.done()) co_await generation.next();
  generation.finish();
  co_return shape.whole(generation.text(), generation.usage());
}

void store(EngineState& engine, Job const& job, Json const& body) {
  if (!job.store) return;
  StoredResponse response;
  response.body = dump(body);
  engine.responses.put(job.id, std::move(response));
}

/// Nobody waits for it: the result goes to the store, unless the response has been forgotten or cancelled meanwhile.
net::awaitable<void> compute_in_background(EngineState& engine, Job job) {
  auto const shape = responses_shape(job);
  auto const executor = co_await net::this_coro::executor;
  Generation generation(engine, job, executor);
  auto const body = co_await compute(generation, *shape);
  auto* stored = engine.responses.find(job.id);
  if (stored == nullptr) co_return;
  stored->body = dump(body);
  stored->running = nullptr;
}

net::awaitable<void> start_in_background(Exchange& exchange, Job job) {
  auto& engine = exchange.engine();
  auto reply = json_reply(response_object(job, "queued"));
  StoredResponse response;
  response.body = dump(response_object(job, "in_progress"));
  response.running = std::make_shared<net::cancellation_signal>();
  auto const signal = response.running;
  engine.responses.put(job.id, std::move(response));
  auto const executor = co_await net::this_coro::executor;
  // The handler keeps the signal alive as long as the coroutine may still look at its slot.
  net::co_spawn(executor, compute_in_background(engine, std::move(job)),
                net::bind_cancellation_slot(signal->slot(), [signal](std::exception_ptr) {}));
  co_await exchange.send(std::move(reply));
}

net::awaitable<void> answer(Exchange& exchange, Job const& job, Shape& shape) {
  auto const executor = co_await net::this_coro::executor;
  Generation generation(exchange.engine(), job, executor);
  if (job.stream) {
    co_await stream(exchange, generation, shape);
    if (exchange.complete()) store(exchange.engine(), job, shape.whole(generation.text(), generation.usage()));
    co_return;
  }
  auto const body = co_await compute(generation, shape);
  store(exchange.engine(), job, body);
  auto reply = json_reply(body);
  co_await exchange.send(std::move(reply));
}

net::awaitable<void> serve(Exchange& exchange, ReadJob read, MakeShape make_shape) {
  auto job = read(exchange.engine(), exchange.request());
  if (!job || !admits(exchange.engine())) {
    auto reply = job ? overloaded() : job.error();
    co_await exchange.send(std::move(reply));
    co_return;
  }
  if (job->background) {
    co_await start_in_background(exchange, std::move(*job));
    co_return;
  }
  auto const shape = make_shape(*job);
  co_await answer(exchange, *job, *shape);
}

}  // namespace

net::awaitable<void> chat_completions(Exchange& exchange) {
  return serve(exchange, chat_job, chat_shape);
}

net::awaitable<void> completions(Exchange& exchange) {
  return serve(exchange, completion_job, completion_shape);
}

net::awaitable<void> messages(Exchange& exchange) {
  return serve(exchange, messages_job, messages_shape);
}

net::awaitable<void> responses(Exchange& exchange) {
  return serve(exchange, responses_job, responses_shape);
}

net::awaitable<void> transcriptions(Exchange& exchange) {
  return serve(exchange, transcription_job, transcription_shape);
}

}  // namespace kvgate::sim
