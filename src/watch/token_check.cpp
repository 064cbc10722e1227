#include "watch/token_check.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "tokens/probe.hpp"
#include "tokens/reader.hpp"
#include "tokens/table.hpp"
#include "watch/engine.hpp"
#include "watch/report.hpp"

namespace kvgate::watch {
namespace {

constexpr std::size_t kMaxAnswer = 64 * 1024 * 1024;   // a million ids are some 8 MB

using Assets = std::shared_ptr<text::ModelAssets const>;

/// By model: with what it has been compared.
using Compared = std::map<std::string, Assets, std::less<>>;

http::FetchRequest tokenize_request(Engine const& engine, std::string body, std::chrono::milliseconds timeout) {
  auto request = engine_get(engine, "/tokenize");
  request.method = "POST";
  request.headers.emplace_back("Content-Type", "application/json");
  request.body = std::move(body);
  request.timeout = timeout;
  request.max_body = kMaxAnswer;
  return request;
}

/// The difference, for people; empty: none. Errors: the engine did not tell.
net::awaitable<Result<std::string>> compare(Context& context, Engine& engine, std::vector<tokens::Probe> probes) {
  for (auto& probe : probes) {
    auto request = tokenize_request(engine, std::move(probe.body), context.pace.models_timeout);
    auto const answer = co_await ask(context, std::move(request));
    if (!answer) co_return answer.error();
    auto const ids = answer->status == 200 ? tokens::ids_in_answer(answer->body) : std::nullopt;
    if (!ids) co_return Error(ErrorKind::engine_bad_response, probe.name + ": status " + std::to_string(answer->status));
    if (auto text = tokens::difference(probe, *ids); !text.empty()) co_return text;
  }
  co_return std::string();
}

/// The models that the engine serves now.
std::vector<openai::ModelCard> cards_of(Context& context, Engine const& engine) {
  std::vector<openai::ModelCard> cards;
  for (auto const& member : context.registry.current()->members) {
    if (member.endpoint != engine.endpoint) continue;
    for (auto const& served : member.models) cards.push_back(served->card);
  }
  return cards;
}

/// What went wrong, for people; empty: nothing.
net::awaitable<std::string> compare_all(Context& context, Engine& engine, Compared& compared) {
  std::string trouble;
  for (auto const& card : cards_of(context, engine)) {
    context.tokens.want({card.id, card.parent, card.root});
    auto const map = context.tokens.snapshot().load();
    auto const model = tokens::Table::find(*map, card.id);
    // An adapter's prompts are made with its base's assets.
    if (!model || !model->assets || !card.base() || !context.config.tokenizers.check) continue;
    auto& last = compared[card.id];
    if (last == model->assets) continue;
    auto probes = tokens::make_probes(*model, card.id);
    auto const difference = co_await compare(context, engine, std::move(probes));
    if (!difference) {
      trouble = difference.error().message;
      continue;
    }
    last = model->assets;
    context.tokens.checked(card.id, engine.endpoint->url(), *difference);
  }
  co_return trouble;
}

}  // namespace

net::awaitable<std::optional<std::vector<std::uint32_t>>> ask_tokens(Context& context, Engine& engine, std::string body) {
  auto request = tokenize_request(engine, std::move(body), context.config.tokenizers.remote_timeout);
  auto const answer = co_await ask(context, std::move(request));
  if (!answer || answer->status != 200) co_return std::nullopt;
  co_return tokens::ids_in_answer(answer->body);
}

net::awaitable<void> watch_tokens(Context& context, Engine& engine) {
  Compared compared;
  if (!engine.looked_up) co_await engine.tokens_bell.wait(context.pace.models_timeout);
  for (Report report("token ids", engine.endpoint->url());;) {
    if (std::exchange(engine.restarted, false)) compared.clear();
    auto const trouble = co_await compare_all(context, engine, compared);
    report.outcome(trouble);
    co_await engine.tokens_bell.wait(jittered(context.config.models.refresh, context.random));
  }
}

}  // namespace kvgate::watch
