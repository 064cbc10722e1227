#include "routing/record.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "fleet/endpoint.hpp"

namespace kvgate::routing {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<fleet::Health, char const*> kHealth[] = {{fleet::Health::unknown, "unknown"},
                                                             {fleet::Health::up, "up"},
                                                             {fleet::Health::suspect, "suspect"},
                                                             {fleet::Health::down, "down"}};
constexpr std::pair<fleet::Adapter, char const*> kAdapter[] = {{fleet::Adapter::not_known, "not_known"},
                                                               {fleet::Adapter::loaded, "loaded"},
                                                               {fleet::Adapter::room, "room"},
                                                               {fleet::Adapter::full, "full"}};
constexpr char const* kFacts[kSignalCount] = {"text_prefix", "exact_kv", "remote_kv"};

template <class T, std::size_t N>
char const* name_of(std::pair<T, char const*> const (&names)[N], T value) {
  for (auto const& [one, name] : names)
    if (one == value) return name;
  return "";
}

template <class T, std::size_t N>
T value_of(std::pair<T, char const*> const (&names)[N], std::string const& name) {
  for (auto const& [value, one] : names)
    if (name == one) return value;
  throw std::invalid_argument("no such name: " + name);
}

Json nanoseconds(Clock::duration d) { return std::chrono::duration_cast<std::chrono::nanoseconds>(d).count(); }

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json request_json(RouteContext const& context, std::size_t simhash_bytes) {
  auto const& keys = context.keys;
  Json json;
  json["model"] = context.model;
  json["session"] = keys.session && !keys.session_secret ? Json(*keys.session) : Json();
  json["session_hidden"] = keys.session && keys.session_secret;
  json["priority"] = keys.priority ? Json(*keys.priority) : Json();
  json["subset"] = keys.subset;
  json["pin"] = keys.pin;
  json["stream"] = context.request.stream;
  json["max_tokens"] = context.request.max_tokens ? Json(*context.request.max_tokens) : Json();
  json["prompt_tokens"] = context.prompt.tokens();
  json["token_ids_known"] = context.prompt.is_tokenized();
  json["simhash"] = std::to_string(context.prompt.simhash(simhash_bytes));   // 64 bits, more than a double holds
  return json;
}

Json served_json(fleet::ServedModel const* served) {
  if (!served) return {};
  return {{"model", served->card.id}, {"parent", served->card.parent}, {"max_model_len", served->card.max_model_len}};
}

Json reported_json(std::optional<fleet::Reported> const& reported) {
  if (!reported) return {};
  return {{"running", reported->running},   {"waiting", reported->waiting},
          {"kv_usage", finite(reported->kv_usage)}, {"sleeping", reported->sleeping},
          {"age_ns", nanoseconds(reported->age)}};
}

Json facts_json(Candidate const& c) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kSignalCount; ++i) {
    if (auto const& fact = c.facts[i])
      json[kFacts[i]] = {{"gpu_tokens", fact->gpu_tokens}, {"cpu_tokens", fact->cpu_tokens},
                         {"disk_tokens", fact->disk_tokens}, {"age_ns", nanoseconds(fact->age)}};
  }
  return json;
}

Json candidate_json(Candidate const& c) {
  auto const& spec = c.endpoint->spec();
  Json json;
  json["engine"] = c.endpoint->url();
  json["authority"] = spec.url.authority;
  json["base"] = spec.url.base;
  json["labels"] = spec.labels;
  json["weight"] = spec.weight;
  json["max_concurrent"] = spec.max_concurrent;
  json["served"] = served_json(c.served);
  json["health"] = name_of(kHealth, c.health);
  json["in_flight"] = c.load.in_flight;
  json["prefill_tokens"] = c.load.prefill_tokens;
  json["prefill_left"] = c.prefill_left;
  json["prefill_speed"] = c.prefill_speed;
  json["cache_room"] = c.cache_room ? Json(*c.cache_room) : Json();
  json["cache_fill"] = c.cache_fill;
  json["last_pick"] = c.last_pick;
  json["adapter"] = name_of(kAdapter, c.adapter);
  json["reported"] = reported_json(c.reported);
  json["facts"] = facts_json(c);
  return json;
}

Json drops_json(Trace const& trace) {
  Json json = Json::array();
  for (auto const& drop : trace.drops) {
    Json engines = Json::array();
    for (auto const* endpoint : drop.endpoints) engines.push_back(endpoint->url());
    json.push_back({{"filter", drop.filter}, {"engines", std::move(engines)}, {"ignored", drop.ignored}});
  }
  return json;
}

Json opinions_json(Trace const& trace, std::vector<fleet::Endpoint const*> const& left) {
  Json json = Json::array();
  for (auto const& opinion : trace.opinions) {
    Json one = {{"policy", opinion.policy}, {"abstained", opinion.abstained}, {"reason", opinion.why.code},
                {"got", opinion.why.got}, {"wanted", opinion.why.wanted}};
    Json costs = Json::object();
    for (std::size_t i = 0; i < opinion.costs.size(); ++i)
      if (!std::isnan(opinion.costs[i])) costs[left[i]->url()] = opinion.costs[i];
    if (!costs.empty()) one["costs"] = std::move(costs);
    json.push_back(std::move(one));
  }
  return json;
}

/// Who was left after the filters.
std::vector<fleet::Endpoint const*> left_over(RecordInput const& input) {
  std::vector<fleet::Endpoint const*> left;
  for (auto const& c : input.field) left.push_back(c.endpoint);
  for (auto const& drop : input.trace.drops) {
    if (drop.ignored) continue;
    std::erase_if(left, [&](auto const* e) { return std::ranges::find(drop.endpoints, e) != drop.endpoints.end(); });
  }
  return left;
}

template <class T>
Json names(std::vector<T> const& chain) {
  Json json = Json::array();
  for (auto const& one : chain) json.push_back(one->name());
  return json;
}

}  // namespace

std::string record_json(RecordInput const& input) {
  Json json;
  json["id"] = input.request_id;
  json["request"] = request_json(input.context, input.simhash_bytes);
  json["clock_ns"] = nanoseconds(input.context.now.time_since_epoch());
  json["entropy"] = std::to_string(input.context.entropy);
  json["chain"] = {{"filters", names(input.plan.filters)}, {"policies", names(input.plan.policies)}};
  json["candidates"] = Json::array();
  for (auto const& c : input.field) json["candidates"].push_back(candidate_json(c));
  json["filters"] = drops_json(input.trace);
  json["policies"] = opinions_json(input.trace, left_over(input));
  auto const& verdict = input.verdict;
  json["decision"] = {{"engine", verdict.chosen ? Json(verdict.chosen->endpoint->url()) : Json()},
                      {"by", verdict.decider}, {"reason", verdict.why.code},
                      {"got", verdict.why.got}, {"wanted", verdict.why.wanted}};
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// Throws what nlohmann::json throws and std::invalid_argument; Replay::read catches.
struct Replay::Reader {
  Replay& to;

  template <std::integral T = std::uint64_t>
  static T whole(Json const& json) {
    bool const fits = json.is_number_unsigned() ? std::in_range<T>(json.get<std::uint64_t>())
                                                : json.is_number_integer() && std::in_range<T>(json.get<std::int64_t>());
    if (!fits) throw std::invalid_argument("not a whole number in its range: " + json.dump());
    return json.get<T>();
  }

  static double number(Json const& json) {
    if (!json.is_number()) throw std::invalid_argument("not a number: " + json.dump());
    return json.get<double>();
  }

  static float small_number(Json const& json) {
    auto const value = number(json);
    if (std::abs(value) > std::numeric_limits<float>::max()) throw std::invalid_argument("too large: " + json.dump());
    return static_cast<float>(value);
  }

  static std::string text(Json const& json) { return json.get<std::string>(); }
  static Clock::duration duration(Json const& json) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::nanoseconds(whole<std::int64_t>(json)));
  }

  /// 64 bits as text.
  static std::uint64_t u64(Json const& json) {
    auto const& text = json.get_ref<std::string const&>();
    std::uint64_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) throw std::invalid_argument("not a number: " + text);
    return value;
  }

  template <class T>
  static std::optional<T> maybe(Json const& json, T (*read)(Json const&)) {
    return json.is_null() ? std::nullopt : std::optional(read(json));
  }

  void read(Json const& json) {
    for (auto const& one : json.at("candidates").get_ref<Json::array_t const&>()) candidate(one);
    to.policies_ = json.at("chain").at("policies").get<std::vector<std::string>>();
    to.filters_ = json.at("chain").at("filters").get<std::vector<std::string>>();
    std::erase(to.filters_, "pinned");
    to.winner_ = maybe(json.at("decision").at("engine"), text).value_or("");
    request(json.at("request"));
    to.context_.emplace(RouteContext{to.view_, *to.prompt_, to.keys_, to.model_,
                                     Clock::time_point(duration(json.at("clock_ns"))), u64(json.at("entropy"))});
  }

  void request(Json const& json) {
    to.model_ = text(json.at("model"));
    if (auto session = maybe(json.at("session"), text)) to.keys_.session = to.session_ = std::move(*session);
    to.keys_.priority = maybe(json.at("priority"), whole<std::int64_t>);
    to.keys_.subset = to.subset_ = text(json.at("subset"));
    to.keys_.pin = to.pin_ = text(json.at("pin"));
    to.view_.stream = json.at("stream").get<bool>();
    to.view_.max_tokens = maybe(json.at("max_tokens"), whole<std::uint64_t>);
    to.prompt_.emplace(to.view_, PromptFacts::Recorded{whole(json.at("prompt_tokens")), u64(json.at("simhash"))});
  }

  static EngineUrl url(Json const& json) {
    EngineUrl url;
    url.text = text(json.at("engine"));
    url.authority = text(json.at("authority"));
    url.base = text(json.at("base"));
    auto const scheme = url.text.find("://");
    if (scheme == std::string::npos || !std::string_view(url.text).substr(scheme + 3).ends_with(url.base))
      throw std::invalid_argument("not an engine: " + url.text);
    return url;
  }

  fleet::Endpoint const* endpoint(Json const& json) {
    EngineSpec spec;
    spec.url = url(json);
    spec.labels = json.at("labels").get<std::map<std::string, std::string>>();
    spec.weight = number(json.at("weight"));
    if (spec.weight <= 0) throw std::invalid_argument("a weight that is not positive");
    spec.max_concurrent = whole<std::uint32_t>(json.at("max_concurrent"));
    if (!memory_) memory_ = std::make_shared<prefix::Budget>(0);
    fleet::EndpointId const id{spec.url.text, 0, 1};
    return to.endpoints_.emplace_back(std::make_shared<fleet::Endpoint>(id, std::move(spec), 0, memory_)).get();
  }

  void candidate(Json const& json) {
    Candidate c;
    c.endpoint = endpoint(json);
    c.served = served(json.at("served"));
    c.health = value_of(kHealth, text(json.at("health")));
    c.load.in_flight = whole<std::uint32_t>(json.at("in_flight"));
    c.load.prefill_tokens = whole(json.at("prefill_tokens"));
    c.prefill_left = number(json.at("prefill_left"));
    c.prefill_speed = number(json.at("prefill_speed"));
    c.cache_room = maybe(json.at("cache_room"), whole<std::uint64_t>);
    c.cache_fill = number(json.at("cache_fill"));
    c.last_pick = whole(json.at("last_pick"));
    c.adapter = value_of(kAdapter, text(json.at("adapter")));
    c.reported = maybe(json.at("reported"), reported);
    facts(c, json.at("facts"));
    to.candidates_.push_back(c);
  }

  fleet::ServedModel const* served(Json const& json) {
    if (json.is_null()) return nullptr;
    auto& served = to.served_.emplace_back();
    served.card.id = text(json.at("model"));
    served.card.parent = text(json.at("parent"));
    served.card.max_model_len = whole(json.at("max_model_len"));
    return &served;
  }

  static fleet::Reported reported(Json const& json) {
    auto const usage = maybe(json.at("kv_usage"), small_number).value_or(std::numeric_limits<float>::quiet_NaN());
    return {whole<std::uint32_t>(json.at("running")), whole<std::uint32_t>(json.at("waiting")),
            usage, json.at("sleeping").get<bool>(), duration(json.at("age_ns"))};
  }

  static void facts(Candidate& c, Json const& json) {
    for (std::size_t i = 0; i < kSignalCount; ++i) {
      auto const found = json.find(kFacts[i]);
      if (found == json.end()) continue;
      c.facts[i] = Fact{whole<std::uint32_t>(found->at("gpu_tokens")), whole<std::uint32_t>(found->at("cpu_tokens")),
                        whole<std::uint32_t>(found->at("disk_tokens")), duration(found->at("age_ns"))};
    }
  }

  std::shared_ptr<prefix::Budget> memory_;
};

Result<std::unique_ptr<Replay>> Replay::read(std::string_view json) {
  std::unique_ptr<Replay> replay(new Replay());
  try {
    Reader{*replay, {}}.read(Json::parse(json));
  } catch (std::exception const& e) {
    return Error(ErrorKind::bad_request, std::string("not a record of a decision: ") + e.what());
  }
  return replay;
}

}  // namespace kvgate::routing
