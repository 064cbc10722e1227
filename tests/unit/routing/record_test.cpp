#include "routing/record.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <random>

#include "fleet/endpoint.hpp"
#include "prefix/prompt_text.hpp"

namespace kvgate::routing {
namespace {

using namespace std::chrono_literals;

/// A random question to a random fleet, and the plan that answers it.
class RandomDecision {
 public:
  explicit RandomDecision(unsigned seed) : dice_(seed) {
    make_options();
    make_chains();
    plan_.emplace(make_plan(policies_, filters_, options_));
    make_request();
    prompt_.emplace(view_, "m", blocks_);
    if (plan_->needs.has(Signal::text_prefix)) prompt_->blocks();   // as Selector does, before it decides
    auto const engines = between(1, 12);
    for (std::uint64_t i = 0; i < engines; ++i) add_engine(i);
    context_.emplace(RouteContext{view_, *prompt_, keys_, "m", Clock::time_point(Clock::duration(between(0, 1u << 30))),
                                  dice_()});
  }

  Options const& options() const { return options_; }
  Plan const& plan() const { return *plan_; }
  RouteContext const& context() const { return *context_; }
  std::vector<Candidate> const& field() const { return field_; }

 private:
  std::uint64_t between(std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(least, most)(dice_);
  }
  bool coin() { return between(0, 1) == 1; }
  double fraction() { return std::uniform_real_distribution<double>(0, 1)(dice_); }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[between(0, values.size() - 1)];
  }

  void make_options() {
    options_.pin_by_id = coin();
    options_.session.ring = one_of({"bounded", "uhashring"});
    options_.session.bound = 1 + fraction();
    options_.prefix.mode = one_of({"cost", "longest", "threshold"});
    options_.prefix.min_match = one_of<std::size_t>({0, 0, 256});
    options_.prefix.balance_abs_threshold = 4;
    options_.simhash.max_bytes = one_of<std::size_t>({64, 512});
    options_.overload = {static_cast<std::uint32_t>(between(0, 20)), static_cast<std::uint32_t>(between(0, 20)),
                         fraction(), coin() ? 1 + fraction() : 0};
    options_.queueing.percentile = fraction();
    if (coin()) options_.label.match["zone"] = "a";
  }

  std::vector<std::string> some_of(std::span<std::string_view const> names, std::size_t most) {
    std::vector<std::string> chain(names.begin(), names.end());
    std::ranges::shuffle(chain, dice_);
    chain.resize(between(0, std::min(most, chain.size())));
    return chain;
  }
  void make_chains() {
    policies_ = some_of(policy_names(), 4);
    filters_ = some_of(filter_names(), 5);
  }

  void make_request() {
    body_ = '"' + std::string(between(0, 5000), static_cast<char>('a' + between(0, 25))) + '"';
    view_.prompt = body_;
    view_.stream = coin();
    if (coin()) view_.max_tokens = one_of<std::uint64_t>({1, 300, ~std::uint64_t{0}});
    session_ = "chat \u00fc\n" + std::to_string(between(0, 1u << 30));
    if (coin()) keys_.session = session_;
    if (coin()) keys_.priority = one_of<std::int64_t>({-7, -7, 3});
    keys_.subset = one_of<std::string_view>({"", "", "tier=gold", "tier=gold, zone=a", "nonsense"});
    pin_ = one_of({"http://engine-", "engine-", "id-"}) + std::to_string(between(0, 3));
    if (pin_.front() != 'i') pin_ += ":8000";
    if (coin()) keys_.pin = pin_;
  }

  EngineSpec spec(std::uint64_t i) {
    EngineSpec spec;
    spec.url.authority = "engine-" + std::to_string(i) + ":8000";
    spec.url.base = coin() ? "/base" : "";
    spec.url.text = "http://" + spec.url.authority + spec.url.base;
    spec.weight = one_of({1.0, 1.0, 2.5, 1.0 / 3});
    spec.max_concurrent = one_of<std::uint32_t>({0, 5, 20});
    if (coin()) spec.labels = {{"zone", one_of({"a", "b"})}, {"id", "id-" + std::to_string(i)}};
    if (coin()) spec.labels["tier"] = "gold";
    return spec;
  }

  void add_engine(std::uint64_t i) {
    auto made = spec(i);
    fleet::EndpointId const id{made.url.text, 0, 1};
    Candidate c;
    c.endpoint = endpoints_.emplace_back(std::make_shared<fleet::Endpoint>(id, std::move(made), 0, memory_)).get();
    if (between(0, 9) > 0) {
      c.served = &served_.emplace_back();
      served_.back().card.max_model_len = one_of<std::uint64_t>({0, 200, 4096});
    }
    using fleet::Health;
    c.health = one_of({Health::up, Health::up, Health::unknown, Health::suspect, Health::down});
    c.load = {static_cast<std::uint32_t>(between(0, 12)), between(0, 20'000)};
    if (coin()) c.reported = reported();
    c.adapter = one_of({fleet::Adapter::not_known, fleet::Adapter::loaded, fleet::Adapter::room, fleet::Adapter::full});
    c.prefill_speed = coin() ? 20'000 * fraction() : 0;
    c.prefill_left = static_cast<double>(c.load.prefill_tokens) * fraction();
    c.cache_fill = fraction();
    if (coin()) c.cache_room = between(0, 4000);
    c.last_pick = one_of<std::uint64_t>({between(0, 3), dice_()});
    auto const signal = one_of({Signal::text_prefix, Signal::text_prefix, Signal::exact_kv});
    auto const tokens = static_cast<std::uint32_t>(between(0, prompt_->tokens()));
    if (coin())
      c.facts[static_cast<std::size_t>(signal)] = Fact{tokens, tokens / 2, 1, Clock::duration(between(0, 1u << 30))};
    field_.push_back(c);
  }

  fleet::Reported reported() {
    auto const usage = coin() ? static_cast<float>(fraction()) : std::numeric_limits<float>::quiet_NaN();
    return {static_cast<std::uint32_t>(between(0, 30)), static_cast<std::uint32_t>(between(0, 30)), usage, coin(),
            Clock::duration(between(0, 1u << 30))};
  }

  std::mt19937_64 dice_;
  Options options_;
  std::vector<std::string> policies_, filters_;
  std::optional<Plan> plan_;
  std::string body_, session_, pin_;
  openai::RequestView view_;
  RequestKeys keys_;
  prefix::PromptBlocks blocks_;
  std::optional<PromptFacts> prompt_;
  std::shared_ptr<prefix::Budget> memory_ = std::make_shared<prefix::Budget>(0);
  std::deque<std::shared_ptr<fleet::Endpoint>> endpoints_;
  std::deque<fleet::ServedModel> served_;
  std::vector<Candidate> field_;
  std::optional<RouteContext> context_;
};

/// Decides on a fresh copy of `field`; `winner` is the engine's URL, empty when nobody is left.
struct Decided {
  std::string record, winner;
};

Decided decide_and_record(Plan const& plan, RouteContext const& context, std::vector<Candidate> const& field,
                          Options const& options) {
  Trace trace;
  trace.detailed = true;
  auto candidates = field;
  auto const verdict = decide(plan, context, candidates, &trace);
  return {record_json({context, plan, field, trace, verdict, options.simhash.max_bytes, "req-1"}),
          verdict.chosen ? verdict.chosen->endpoint->url() : ""};
}

TEST(Record, ReplaysToTheSameWinner) {
  std::map<std::string, int> deciders;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    RandomDecision const made(seed);
    auto const first = decide_and_record(made.plan(), made.context(), made.field(), made.options());
    auto const replay = Replay::read(first.record);
    ASSERT_TRUE(replay) << seed << ": " << replay.error().message;
    auto const& again = **replay;
    auto const plan = make_plan(again.policies(), again.filters(), made.options());
    auto const second = decide_and_record(plan, again.context(), again.candidates(), made.options());
    EXPECT_EQ(again.winner(), first.winner) << seed;
    ASSERT_EQ(second.winner, first.winner) << seed << ": " << first.record;
    ASSERT_EQ(second.record, first.record) << seed;
    ++deciders[nlohmann::json::parse(first.record)["decision"]["by"]];
  }
  // Otherwise the dice were no test: every policy has decided, most filters have refused.
  for (auto const name : policy_names()) EXPECT_GE(deciders[std::string(name)], 20) << name;
  for (auto const* name : {"model", "healthy", "capacity", "label", "pinned"}) EXPECT_GE(deciders[name], 5) << name;
}

TEST(Record, IsOneLineOfAscii) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    RandomDecision const made(seed);
    auto const record = decide_and_record(made.plan(), made.context(), made.field(), made.options()).record;
    EXPECT_TRUE(std::ranges::all_of(record, [](char c) { return c >= ' ' && c <= '~'; })) << record;
  }
}

struct Fixed {
  openai::RequestView view;
  RequestKeys keys;
  prefix::PromptBlocks blocks;
  PromptFacts prompt{view, "m", blocks};
  RouteContext context{view, prompt, keys, "m", Clock::time_point(5ns), 7};
  Plan plan = make_plan({}, {});

  nlohmann::json record() { return nlohmann::json::parse(decide_and_record(plan, context, {}, {}).record); }
};

TEST(Record, NamesTheRequestAndNotItsSecrets) {
  Fixed fixed;
  fixed.view.prompt = "\"what nobody may read\"";
  fixed.keys.session = "chat-1";
  auto record = fixed.record();
  EXPECT_EQ(record["id"], "req-1");
  EXPECT_EQ(record["request"]["session"], "chat-1");
  EXPECT_EQ(record.dump().find("nobody may read"), std::string::npos);
  fixed.keys.session_secret = true;
  record = fixed.record();
  EXPECT_TRUE(record["request"]["session"].is_null());
  EXPECT_EQ(record["request"]["session_hidden"], true);
}

TEST(Record, SaysWhoWasDroppedAndWhatTheRestWouldCost) {
  RandomDecision const made(3);
  Options const options;
  std::string const policies[] = {"prefix_affinity"}, filters[] = {"healthy"};
  auto field = made.field();
  ASSERT_GE(field.size(), 3u);
  for (auto& c : field) c.health = fleet::Health::up;
  field[1].health = fleet::Health::down;
  auto const record = nlohmann::json::parse(
      decide_and_record(make_plan(policies, filters, options), made.context(), field, options).record);
  ASSERT_EQ(record["filters"].size(), 1u);
  EXPECT_EQ(record["filters"][0]["filter"], "healthy");
  EXPECT_EQ(record["filters"][0]["engines"], nlohmann::json::array({field[1].endpoint->url()}));
  auto const& costs = record["policies"][0]["costs"];
  EXPECT_EQ(costs.size(), field.size() - 1);
  EXPECT_FALSE(costs.contains(field[1].endpoint->url()));
  for (auto const& cost : costs) EXPECT_GE(cost, costs[std::string(record["decision"]["engine"])]);
}

/// A record with a candidate that has every member.
std::string full_record() {
  for (unsigned seed = 0;; ++seed) {
    RandomDecision const made(seed);
    auto field = made.field();
    field.resize(1);
    if (!field[0].reported || !field[0].served) continue;
    field[0].facts[0] = Fact{16, 0, 0, 1s};
    return decide_and_record(made.plan(), made.context(), field, made.options()).record;
  }
}

/// Whatever was read can be decided on.
void expect_harmless(std::string const& json) {
  auto const replay = Replay::read(json);
  if (!replay) {
    EXPECT_EQ(replay.error().kind, ErrorKind::bad_request);
    return;
  }
  auto candidates = (*replay)->candidates();
  for (auto const name : policy_names()) {
    std::string const policies[] = {std::string(name)};
    std::vector<std::string> const filters(filter_names().begin(), filter_names().end());
    Options options;
    options.pin_by_id = true;
    auto left = candidates;
    decide(make_plan(policies, filters, options), (*replay)->context(), left);
  }
}

TEST(Replay, RefusesWhatIsCutOff) {
  auto const record = full_record();
  ASSERT_TRUE(Replay::read(record));
  for (std::size_t size = 0; size < record.size(); ++size) EXPECT_FALSE(Replay::read(record.substr(0, size))) << size;
}

/// Calls `visit` with the record with each of its values replaced, one at a time.
template <class Visit>
void replace_each(nlohmann::json& whole, nlohmann::json& at, nlohmann::json const& by, Visit const& visit) {
  auto const original = std::exchange(at, by);
  visit(whole);
  at = original;
  if (!at.is_structured()) return;
  for (auto& member : at) replace_each(whole, member, by, visit);
}

TEST(Replay, TakesNoHarmFromAnyMember) {
  auto record = nlohmann::json::parse(full_record());
  char const* const values[] = {"null", "true", "-1", "0.5", "1e300", "-1e300", "18446744073709551615",
                                "9223372036854775807", "[]", "[1]", "{}", R"({"a": 1})", R"("")", R"("x")",
                                R"("99999999999999999999")", R"("http")", R"("://")"};
  for (auto const* value : values) {
    replace_each(record, record, nlohmann::json::parse(value), [](auto const& json) { expect_harmless(json.dump()); });
  }
}

TEST(Replay, NamesWhatIsWrong) {
  struct Case {
    char const* pointer;
    char const* value;
  } const cases[] = {
      {"/candidates", "{}"},
      {"/candidates", "null"},
      {"/candidates/0/weight", "0"},
      {"/candidates/0/weight", "\"1\""},
      {"/candidates/0/in_flight", "-1"},
      {"/candidates/0/in_flight", "4294967296"},
      {"/candidates/0/in_flight", "1.5"},
      {"/candidates/0/last_pick", "18446744073709551616"},
      {"/candidates/0/health", "\"well\""},
      {"/candidates/0/engine", "\"engine-1:8000\""},
      {"/candidates/0/base", "\"/elsewhere\""},
      {"/candidates/0/reported/kv_usage", "1e300"},
      {"/candidates/0/facts/text_prefix/gpu_tokens", "1e30"},
      {"/request/simhash", "12"},
      {"/request/simhash", "\"-1\""},
      {"/request/prompt_tokens", "-1"},
      {"/entropy", "\"12x\""},
      {"/clock_ns", "9223372036854775808"},
      {"/chain/policies", "[1]"},
      {"/decision/engine", "1"},
  };
  for (auto const& c : cases) {
    auto record = nlohmann::json::parse(full_record());
    record[nlohmann::json::json_pointer(c.pointer)] = nlohmann::json::parse(c.value);
    EXPECT_FALSE(Replay::read(record.dump())) << c.pointer << " = " << c.value;
  }
}

TEST(Replay, RefusesWhatIsNoRecord) {
  std::string const deep = std::string(100'000, '[') + std::string(100'000, ']');
  std::string const texts[] = {"", "[]", "{}", "nul", "\xff", "{\"a\":1e999}", std::string(100'000, '['),
                               deep, "{\"candidates\":" + deep + "}"};
  for (auto const& json : texts) {
    auto const replay = Replay::read(json);
    ASSERT_FALSE(replay);
    EXPECT_EQ(replay.error().kind, ErrorKind::bad_request);
  }
}

}  // namespace
}  // namespace kvgate::routing
