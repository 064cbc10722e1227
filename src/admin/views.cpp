#include "admin/views.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "fleet/endpoint_set.hpp"
#include "openai/models.hpp"

namespace kvgate::admin {
namespace {

using Json = nlohmann::ordered_json;

// Ids come from engines; whatever their bytes are, an own endpoint must not throw.
std::string text(Json const& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class T>
Json or_null(std::optional<T> const& value) {
  return value ? Json(*value) : Json(nullptr);
}

double seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

Json adapters_json(fleet::Adapters const& adapters) {
  if (adapters.max == 0) return nullptr;
  return {{"max", adapters.max}, {"running", adapters.running}, {"waiting", adapters.waiting}};
}

/// What the engine said of itself.
Json reported_json(fleet::ReportedStats const& stats, Clock::time_point now, Clock::duration stale) {
  auto const gauges = stats.gauges();
  if (!gauges.fresh(now, stale)) return nullptr;
  Json json;
  json["age_seconds"] = seconds(gauges.age(now));
  json["running"] = or_null(gauges.running);
  json["waiting"] = or_null(gauges.waiting);
  json["kv_usage"] = or_null(gauges.kv_usage);
  json["kv_blocks"] = or_null(gauges.kv_blocks);
  json["block_size_tokens"] = or_null(gauges.block_size_tokens);
  json["sleeping"] = gauges.sleeping;
  json["started"] = or_null(gauges.started);
  json["lora"] = adapters_json(*stats.adapters());
  return json;
}

/// By model; those that nobody has asked for are left out.
Json tokenizers_json(fleet::Member const& member, tokens::Table::Map const& tokens) {
  Json json = Json::object();
  for (auto const& served : member.models) {
    auto const model = tokens::Table::find(tokens, served->card.id);
    if (!model) continue;
    json[served->card.id] = {
        {"state", tokens::to_string(model->state)}, {"reason", model->reason}, {"source", model->source}};
  }
  return json;
}

Json engine_json(fleet::Member const& member, Clock::time_point now, Clock::duration stale) {
  auto const& endpoint = *member.endpoint;
  auto const load = endpoint.load();
  auto models = Json::array();
  for (auto const& served : member.models) models.push_back(served->card.id);
  Json json;
  json["url"] = endpoint.url();
  json["health"] = to_string(endpoint.health());
  json["in_flight"] = load.in_flight;
  json["prefill_tokens"] = load.prefill_tokens;
  json["models"] = std::move(models);
  json["models_known"] = member.models_known;
  json["labels"] = endpoint.spec().labels;
  json["weight"] = endpoint.spec().weight;
  json["max_concurrent"] = endpoint.spec().max_concurrent;
  json["generation"] = endpoint.id().generation;
  json["prefill_tokens_per_second"] = or_null(endpoint.prefill_rate().tokens_per_second());
  json["reported"] = reported_json(endpoint.stats(), now, stale);
  return json;
}

/// The first engine's card stands for all of them.
openai::ModelCard card_of(fleet::ModelEntry const& model, std::int64_t created) {
  auto const served = std::ranges::find_if(model.by_member, [](auto const& one) { return one != nullptr; });
  return served == model.by_member.end() ? openai::configured_model(model.id, created) : (*served)->card;
}

}  // namespace

std::string engines_view(fleet::EndpointSet const& fleet, tokens::Table::Map const& tokens, Clock::time_point now,
                         Clock::duration stale) {
  auto engines = Json::array();
  for (auto const& member : fleet.members) {
    engines.push_back(engine_json(member, now, stale));
    engines.back()["tokenizers"] = tokenizers_json(member, tokens);
  }
  return text(engines);
}

std::string version_view() {
  return text({{"version", KVGATE_VERSION}});
}

std::string models_view(fleet::EndpointSet const& fleet, std::int64_t created) {
  std::vector<openai::ModelCard> cards;
  cards.reserve(fleet.models.size());
  for (auto const& model : fleet.models) cards.push_back(card_of(model, created));
  return openai::models_body(cards);
}

std::optional<std::string> model_view(fleet::EndpointSet const& fleet, std::string_view id, std::int64_t created) {
  auto const* const model = fleet.find_model(id);
  return model ? std::optional(card_of(*model, created).json) : std::nullopt;
}

Readiness readiness_of(fleet::EndpointSet const& fleet, bool draining) {
  auto const usable = std::ranges::count_if(fleet.members, [](fleet::Member const& member) {
    return member.models_known && member.endpoint->health() == fleet::Health::up;
  });
  return {static_cast<std::size_t>(usable), fleet.members.size(), draining};
}

std::string ready_view(Readiness const& readiness) {
  auto const* const no = readiness.draining ? "draining" : "no usable engine";
  Json json;
  json["status"] = readiness.ready() ? "ready" : no;
  json["usable"] = readiness.usable;
  json["engines"] = readiness.engines;
  return text(json);
}

}  // namespace kvgate::admin
