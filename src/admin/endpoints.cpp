#include "admin/endpoints.hpp"

#include <boost/asio/post.hpp>
#include <ctime>

#include "admin/views.hpp"
#include "config/loader.hpp"

namespace kvgate::admin {
namespace {

using openai::OwnEndpoint;
using proxy::OwnAnswer;

OwnAnswer json(std::string body, int status = 200) { return {status, "application/json", std::move(body)}; }

OwnAnswer one_model(fleet::EndpointSet const& fleet, std::string const& id) {
  auto const plain = openai::percent_decode(id).value_or(id);   // ids may hold slashes, which SDKs escape
  if (auto card = model_view(fleet, plain, std::time(nullptr))) return json(std::move(*card));
  return json("The model `" + id + "` does not exist.", 404);
}

}  // namespace

OwnAnswer Endpoints::answer(proxy::OwnRequest const& request) {
  switch (request.endpoint) {
    case OwnEndpoint::health: return json(R"({"status":"healthy"})");
    case OwnEndpoint::version: return json(version_view());
    case OwnEndpoint::models: return json(models_view(*fleet_.current(), std::time(nullptr)));
    case OwnEndpoint::model: return one_model(*fleet_.current(), request.segment);
    case OwnEndpoint::engines: return json(engines());
    case OwnEndpoint::config: return {200, "application/yaml", config::print_config(config_)};
    case OwnEndpoint::metrics:
      return {200, "text/plain; version=0.0.4; charset=utf-8", metrics_.expose(Clock::now())};
    case OwnEndpoint::ready: {
      auto const readiness = readiness_of(*fleet_.current(), leaving_.load(std::memory_order_relaxed));
      return json(ready_view(readiness), readiness.ready() ? 200 : 503);
    }
    case OwnEndpoint::explain:   // the session answers it itself
    case OwnEndpoint::none: break;
  }
  return json("{}", 500);
}

std::string Endpoints::engines() const {
  auto const tokens = tokens_.snapshot().load();
  return engines_view(*fleet_.current(), *tokens, Clock::now(), config_.engine_stats.stale);
}

void Endpoints::answer_elsewhere(proxy::OwnRequest request, std::function<void(OwnAnswer)> done) {
  boost::asio::post(control_, [this, request = std::move(request), done = std::move(done)] { done(answer(request)); });
}

}  // namespace kvgate::admin
