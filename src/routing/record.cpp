#include "routing/record.hpp"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

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

Clock::duration duration(Json const& json) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::nanoseconds(json.get<std::int64_t>()));
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json request_json(RouteContext const& context, std::size_t simhash_bytes) {
  auto const& keys = context.keys;
  Json json;
  json["model"] = context.model;
  json["session"] = keys.session ? Json(*keys.session) : Json();
  json["priority"] = keys.priority ? Json(*keys.priority) : Json();
  json["subset"] = keys.subset;
  json["pin"] = keys.pin;
  json["stream"] = context.request.stream;
  json["max_tokens"] = context.request.max_tokens ? Json(*context.request.max_tokens) : Json();
  json["prompt_tokens"] = context.prompt.tokens();
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
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Throws what nlohmann::json throws; Replay::read catches.
struct Replay::Reader {
  Replay& to;

  static std::uint64_t u64(Json const& json) {
    auto const& text = json.get_ref<std::string const&>();
    std::uint64_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) throw std::invalid_argument("not a number: " + text);
    return value;
  }

  template <class T>
  static std::optional<T> maybe(Json const& json) {
    return json.is_null() ? std::nullopt : std::optional(json.get<T>());
  }

  void read(Json const& json) {
    for (auto const& one : json.at("candidates")) candidate(one);
    to.policies_ = json.at("chain").at("policies").get<std::vector<std::string>>();
    to.filters_ = json.at("chain").at("filters").get<std::vector<std::string>>();
    to.winner_ = maybe<std::string>(json.at("decision").at("engine")).value_or("");
    request(json.at("request"));
    to.context_.emplace(RouteContext{to.view_, *to.prompt_, to.keys_, to.model_,
                                     Clock::time_point(duration(json.at("clock_ns"))), u64(json.at("entropy"))});
  }

  void request(Json const& json) {
    to.model_ = json.at("model").get<std::string>();
    if (auto session = maybe<std::string>(json.at("session"))) to.keys_.session = to.session_ = std::move(*session);
    to.keys_.priority = maybe<std::int64_t>(json.at("priority"));
    to.keys_.subset = to.subset_ = json.at("subset").get<std::string>();
    to.keys_.pin = to.pin_ = json.at("pin").get<std::string>();
    to.view_.stream = json.at("stream").get<bool>();
    to.view_.max_tokens = maybe<std::uint64_t>(json.at("max_tokens"));
    to.prompt_.emplace(to.view_, PromptFacts::Recorded{json.at("prompt_tokens").get<std::uint64_t>(), u64(json.at("simhash"))});
  }

  void candidate(Json const& json) {
    EngineSpec spec;
    spec.url.text = json.at("engine").get<std::string>();
    spec.url.authority = json.at("authority").get<std::string>();
    spec.labels = json.at("labels").get<std::map<std::string, std::string>>();
    spec.weight = json.at("weight").get<double>();
    spec.max_concurrent = json.at("max_concurrent").get<std::uint32_t>();
    auto const url = spec.url.text;
    to.endpoints_.push_back(std::make_shared<fleet::Endpoint>(fleet::EndpointId{url, 0, 1}, std::move(spec), 0, memory()));
    Candidate c;
    c.endpoint = to.endpoints_.back().get();
    c.served = served(json.at("served"));
    c.health = value_of(kHealth, json.at("health").get<std::string>());
    c.load.in_flight = json.at("in_flight").get<std::uint32_t>();
    c.load.prefill_tokens = json.at("prefill_tokens").get<std::uint64_t>();
    c.prefill_left = json.at("prefill_left").get<double>();
    c.prefill_speed = json.at("prefill_speed").get<double>();
    c.cache_room = maybe<std::uint64_t>(json.at("cache_room"));
    c.cache_fill = json.at("cache_fill").get<double>();
    c.last_pick = json.at("last_pick").get<std::uint64_t>();
    c.adapter = value_of(kAdapter, json.at("adapter").get<std::string>());
    c.reported = reported(json.at("reported"));
    facts(c, json.at("facts"));
    to.candidates_.push_back(c);
  }

  std::shared_ptr<prefix::Budget> memory() {
    if (!memory_) memory_ = std::make_shared<prefix::Budget>(0);
    return memory_;
  }

  fleet::ServedModel const* served(Json const& json) {
    if (json.is_null()) return nullptr;
    auto& served = to.served_.emplace_back();
    served.card.id = json.at("model").get<std::string>();
    served.card.parent = json.at("parent").get<std::string>();
    served.card.max_model_len = json.at("max_model_len").get<std::uint64_t>();
    return &served;
  }

  static std::optional<fleet::Reported> reported(Json const& json) {
    if (json.is_null()) return std::nullopt;
    auto const usage = maybe<float>(json.at("kv_usage"));
    return fleet::Reported{json.at("running").get<std::uint32_t>(), json.at("waiting").get<std::uint32_t>(),
                           usage.value_or(std::numeric_limits<float>::quiet_NaN()), json.at("sleeping").get<bool>(),
                           duration(json.at("age_ns"))};
  }

  static void facts(Candidate& c, Json const& json) {
    for (std::size_t i = 0; i < kSignalCount; ++i) {
      auto const found = json.find(kFacts[i]);
      if (found == json.end()) continue;
      c.facts[i] = Fact{found->at("gpu_tokens").get<std::uint32_t>(), found->at("cpu_tokens").get<std::uint32_t>(),
                        found->at("disk_tokens").get<std::uint32_t>(), duration(found->at("age_ns"))};
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
