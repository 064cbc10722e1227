#include "openai/models.hpp"

#include <simdjson.h>

#include <nlohmann/json.hpp>
#include <unordered_set>

#include "openai/json_text.hpp"

namespace kvgate::openai {
namespace {

namespace ondemand = simdjson::ondemand;

Error bad_list(std::string const& why) {
  return Error(ErrorKind::engine_bad_response, "the engine's list of models: " + why);
}

/// The text of one element of `data`; empty for what is no object.
simdjson::error_code raw_object(ondemand::value& value, std::string_view& raw) {
  ondemand::object object;
  if (value.get_object().get(object)) return simdjson::SUCCESS;
  if (auto const error = object.raw_json().get(raw)) return error;
  raw = raw.substr(0, raw.find_last_not_of(" \t\r\n") + 1);
  return simdjson::SUCCESS;
}

std::string string_of(nlohmann::json const& object, char const* key) {
  auto const member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

std::uint64_t number_of(nlohmann::json const& object, char const* key) {
  auto const member = object.find(key);
  return member != object.end() && member->is_number_unsigned() ? member->get<std::uint64_t>() : 0;
}

/// Parsed once more, by a parser that skips nothing and takes integers of any size: the text goes into our own answers.
void add_card(std::vector<ModelCard>& cards, std::string_view raw) {
  auto const object = nlohmann::json::parse(raw, nullptr, false);
  if (!object.is_object()) return;
  auto id = string_of(object, "id");
  if (id.empty() || id.size() > kMaxModelId) return;
  cards.push_back({.id = std::move(id), .parent = string_of(object, "parent"),
                   .root = string_of(object, "root"),
                   .max_model_len = number_of(object, "max_model_len"), .json = std::string(raw)});
}

}  // namespace

Result<std::vector<ModelCard>> parse_models(std::string_view body) {
  if (body.size() > kMaxModelsBody) return bad_list("too large");
  simdjson::padded_string const json(body);
  ondemand::parser parser;
  ondemand::document document;
  ondemand::array data;
  if (auto const error = parser.iterate(json).get(document)) return bad_list(simdjson::error_message(error));
  if (document["data"].get(data)) return bad_list("no array `data`");
  std::vector<ModelCard> cards;
  std::size_t count = 0;
  for (auto next : data) {
    ondemand::value value;
    std::string_view raw;
    if (++count > kMaxModels) return bad_list("too many models");
    if (auto const error = std::move(next).get(value)) return bad_list(simdjson::error_message(error));
    if (auto const error = raw_object(value, raw)) return bad_list(simdjson::error_message(error));
    if (!raw.empty()) add_card(cards, raw);
  }
  return cards;
}

std::string models_body(std::span<ModelCard const> cards) {
  std::string out = R"({"object":"list","data":[)";
  std::unordered_set<std::string_view> seen;
  for (auto const& card : cards) {
    if (!seen.insert(card.id).second) continue;
    if (seen.size() > 1) out += ',';
    out += card.json;
  }
  out += "]}";
  return out;
}

ModelCard configured_model(std::string_view id, std::int64_t created) {
  auto const name = json_string(id);
  auto json = R"({"id":)" + name + R"(,"object":"model","created":)" + std::to_string(created) +
              R"(,"owned_by":"kvgate","root":)" + name + R"(,"parent":null})";
  return {.id = std::string(id), .json = std::move(json)};
}

}  // namespace kvgate::openai
