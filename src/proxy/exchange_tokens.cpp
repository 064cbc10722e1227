// The token ids of an exchange's prompt: made here, by a thread for long ones, or asked of an engine.
#include <functional>

#include "proxy/exchange.hpp"
#include "proxy/worker.hpp"
#include "text/chat/stop.hpp"
#include "tokens/reader.hpp"

namespace kvgate::proxy {
namespace {

using http::Awaitable;

/// A question to an engine. The answer comes on the worker's thread, and may come when nobody waits any more.
struct Question {
  http::Wake* wake = nullptr;   // null: nobody waits
  bool answered = false;
  Shared::Tokens ids;
};

/// What remote ids are remembered by.
std::uint64_t owner_of(fleet::ModelEntry const& model) { return std::hash<std::string>{}(model.id) | 1; }

}  // namespace

/// Where somebody decides by them and they can be told.
Awaitable<void> Exchange::tokenize() {
  if (!model_ || !worker_.shared.plans.of(model_->id).needs.has(Signal::text_prefix)) co_return;
  auto model = tokens::Table::find(*worker_.tokens.get(), model_->id);
  if (!model || !(model->usable() || model->state == tokens::State::remote)) co_return;
  auto const began = Clock::now();
  scratch_->tokens.clear();
  auto const result = co_await tokens_from(std::move(model));
  auto const& ids = scratch_->tokens;
  if (!ids.empty()) prompt_->tokenized(ids);
  double const seconds = std::chrono::duration<double>(Clock::now() - began).count();
  worker_.metrics.tokenized(result, ids.empty() ? std::nullopt : std::optional(seconds));
}

Awaitable<std::string_view> Exchange::tokens_from(std::shared_ptr<tokens::Model const> model) {
  auto const& shared = worker_.shared;
  if (model->state == tokens::State::remote) co_return co_await tokens_from_engine();
  if (body_text().size() > shared.config.tokenizers.long_text) co_return co_await tokens_from_pool(std::move(model));
  co_return tokens::read_tokens(*model, body_.view.api, body_text(), shared.segments, scratch_->tokens);
}

/// It cannot be called off, and reads the body: this waits for its end whatever happens.
Awaitable<std::string_view> Exchange::tokens_from_pool(std::shared_ptr<tokens::Model const> model) {
  std::string_view result;
  auto job = [this, &result, model = std::move(model)] {
    auto const told =
        tokens::read_tokens(*model, body_.view.api, body_text(), worker_.shared.segments, scratch_->tokens);
    worker_.post([this, &result, told] {
      result = told;
      client_.wake().notify();
    });
  };
  bool const taken = worker_.shared.pool.run(std::move(job));
  if (!taken) co_return "busy";
  while (result.empty()) co_await client_.wake().wait();
  co_return result;
}

/// One that serves the model, taken at random.
std::shared_ptr<fleet::Endpoint> Exchange::engine_to_ask() {
  auto const count = fleet_->members.size();
  auto const first = static_cast<std::size_t>(worker_.random.next() % count);
  for (std::size_t i = 0; i < count; ++i) {
    auto const at = (first + i) % count;
    auto const& endpoint = fleet_->members[at].endpoint;
    if (model_->by_member[at] && endpoint->health() == fleet::Health::up) return endpoint;
  }
  return nullptr;
}

/// The body is a question to /tokenize as it is: what that does not know it ignores.
Awaitable<std::string_view> Exchange::tokens_from_engine() {
  auto const api = body_.view.api;
  if (api != openai::ApiKind::chat && api != openai::ApiKind::completions) co_return to_string(text::Unknown::api);
  auto const body = body_text();
  auto const owner = owner_of(*model_);
  auto& ids = scratch_->tokens;
  if (worker_.shared.segments.find(owner, body, ids)) co_return tokens::kRemote;
  auto engine = engine_to_ask();
  if (!engine) co_return "no_engine";
  auto const question = std::make_shared<Question>();
  question->wake = &client_.wake();
  auto done = [&worker = worker_, question](Shared::Tokens told) {
    worker.post([question, told = std::move(told)]() mutable {
      question->ids = std::move(told);
      question->answered = true;
      if (question->wake) question->wake->notify();
    });
  };
  std::string text(body);
  worker_.shared.ask_tokens(std::move(engine), std::move(text), std::move(done));
  auto const given_up = [this] {
    return client_.gone() || worker_.shared.stage.load(std::memory_order_relaxed) == LifeStage::killed;
  };
  while (!question->answered && !given_up()) co_await client_.wake().wait();
  question->wake = nullptr;
  if (!question->ids) co_return "not_told";
  ids = std::move(*question->ids);
  worker_.shared.segments.put(owner, body, ids);
  co_return tokens::kRemote;
}

}  // namespace kvgate::proxy
