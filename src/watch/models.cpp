#include "watch/models.hpp"

#include <algorithm>
#include <string>

#include "openai/models.hpp"
#include "watch/engine.hpp"
#include "watch/report.hpp"

namespace kvgate::watch {
namespace {

using Cards = std::vector<openai::ModelCard>;

net::awaitable<Result<Cards>> read_models(Context& context, Engine& engine) {
  auto request = engine_get(engine, "/v1/models");
  request.timeout = context.pace.models_timeout;
  request.max_body = openai::kMaxModelsBody;
  auto const response = co_await ask(context, std::move(request));
  if (!response) co_return response.error();
  if (response->status != 200) {
    co_return Error(ErrorKind::engine_bad_response, "status " + std::to_string(response->status));
  }
  co_return openai::parse_models(response->body);
}

}  // namespace

net::awaitable<void> watch_models(Context& context, Engine& engine) {
  if (!engine.endpoint->spec().models.empty()) co_return;
  Clock::duration const refresh = context.config.models.refresh;
  Clock::duration const first_retry = std::min<Clock::duration>(context.pace.models_retry, refresh);
  auto retry = first_retry;
  if (!engine.looked_up) co_await engine.models_bell.wait(context.pace.models_timeout);
  for (Report report("models", engine.endpoint->url());;) {
    auto result = co_await read_models(context, engine);
    report.outcome(result ? "" : result.error().message);
    engine.models_failed = !result;
    auto const pause = result ? refresh : retry;
    retry = result ? first_retry : std::min(2 * retry, refresh);
    if (result) {
      context.registry.set_models(*engine.endpoint, std::move(*result));
      engine.tokens_bell.ring();
    }
    co_await engine.models_bell.wait(jittered(pause, context.random));
  }
}

}  // namespace kvgate::watch
