#include "admin/views.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fleet/lease.hpp"
#include "fleet/registry.hpp"

namespace kvgate::admin {
namespace {

using fleet::Health;
using Json = nlohmann::json;
using namespace std::chrono_literals;

constexpr Clock::time_point kNow{1000s};
tokens::Table::Map const kNoTokens;

class Views : public testing::Test {
 protected:
  static EngineSpec engine(std::string const& url) {
    EngineSpec spec;
    spec.url.text = url;
    spec.url.host = "127.0.0.1";
    return spec;
  }

  std::shared_ptr<fleet::EndpointSet const> fleet() const { return registry.current(); }
  std::shared_ptr<fleet::Endpoint> endpoint(std::size_t i) const { return fleet()->members.at(i).endpoint; }
  void tell_models(std::size_t i, std::vector<openai::ModelCard> cards) {
    registry.set_models(*endpoint(i), std::move(cards));
  }

  fleet::Registry registry{[](auto) { return 0u; }, [](auto) { return 0u; }, 1};
};

TEST_F(Views, EnginesShowsEverythingButKeys) {
  auto spec = engine("http://a:1");
  spec.key = "hush";
  spec.labels = {{"zone", "west"}};
  spec.weight = 2.5;
  spec.max_concurrent = 9;
  registry.set_engines({spec, engine("http://b:2")}, {});
  tell_models(0, {{"m", "", "", 0, R"({"id":"m"})"}, {"lora", "m", "", 0, R"({"id":"lora","parent":"m"})"}});
  registry.set_health(endpoint(0), Health::up, "probe_ok");
  auto const lease = fleet::Lease::take(endpoint(0), {120, true}, Clock::now());
  fleet::EngineStats told{{.running = 7, .waiting = 2, .kv_usage = .5f, .kv_blocks = 48, .block_size_tokens = 32,
                           .started = 1000, .taken = kNow - 3s},
                          {{"lora"}, {"other"}, 2}};
  registry.set_stats(endpoint(0), told);
  for (int i = 0; i < 8; ++i) endpoint(0)->prefill_rate().learn(1000, 100ms);

  tokens::Table::Map const tokens{
      {"m", std::make_shared<tokens::Model const>(tokens::Model{tokens::State::fallback, "why", "/models/m", {}})}};
  auto const body = engines_view(*fleet(), tokens, kNow, 15s);
  EXPECT_EQ(body.find("hush"), std::string::npos);
  auto const expected = Json::parse(R"([
    {"url":"http://a:1","health":"up","in_flight":1,"prefill_tokens":120,"models":["m","lora"],"models_known":true,
     "labels":{"zone":"west"},"weight":2.5,"max_concurrent":9,"generation":1,
     "prefill_tokens_per_second":10000.0,
     "reported":{"age_seconds":3.0,"running":7,"waiting":2,"kv_usage":0.5,"kv_blocks":48,"block_size_tokens":32,
                 "sleeping":false,"started":1000.0,"lora":{"max":2,"running":["lora"],"waiting":["other"]}},
     "tokenizers":{"m":{"state":"fallback","reason":"why","source":"/models/m"}}},
    {"url":"http://b:2","health":"unknown","in_flight":0,"prefill_tokens":0,"models":[],"models_known":false,
     "labels":{},"weight":1.0,"max_concurrent":0,"generation":1,
     "prefill_tokens_per_second":null,"reported":null,"tokenizers":{}}])");
  EXPECT_EQ(Json::parse(body), expected);
}

TEST_F(Views, WhatAnEngineSaidTooLongAgoOrNotAtAllIsNull) {
  registry.set_engines({engine("http://a:1")}, {});
  registry.set_stats(endpoint(0), {{.waiting = 2, .taken = kNow - 15s}, {}});
  auto const reported = [&](Clock::time_point now) {
    return Json::parse(engines_view(*fleet(), kNoTokens, now, 15s))[0]["reported"];
  };
  EXPECT_EQ(reported(kNow)["waiting"], 2);
  EXPECT_TRUE(reported(kNow)["running"].is_null());
  EXPECT_TRUE(reported(kNow)["lora"].is_null());
  EXPECT_TRUE(reported(kNow + 1s).is_null());
}

TEST_F(Views, EnginesNamesEveryStateOfHealth) {
  registry.set_engines({engine("http://a:1")}, {});
  std::pair<Health, char const*> const cases[] = {
      {Health::unknown, "unknown"}, {Health::up, "up"}, {Health::suspect, "suspect"}, {Health::down, "down"}};
  for (auto const& [health, name] : cases) {
    registry.set_health(endpoint(0), health, "test");
    EXPECT_EQ(Json::parse(engines_view(*fleet(), kNoTokens, kNow, 15s))[0]["health"], name);
  }
}

TEST_F(Views, ModelIdsThatAreNoUtf8BreakNothing) {
  registry.set_engines({engine("http://a:1")}, {});
  tell_models(0, {{"bad\xff", "", "", 0, R"({"id":"bad"})"}});
  EXPECT_TRUE(Json::accept(engines_view(*fleet(), kNoTokens, kNow, 15s)));
}

TEST_F(Views, AnEmptyFleetIsAnEmptyArray) {
  EXPECT_EQ(engines_view(*fleet(), kNoTokens, kNow, 15s), "[]");
}

TEST_F(Views, Version) {
  EXPECT_EQ(version_view(), R"({"version":")" KVGATE_VERSION R"("})");
}

TEST_F(Views, ModelsIsTheUnionWithEveryFieldKept) {
  registry.set_engines({engine("http://a:1"), engine("http://b:2")}, {"only-configured"});
  std::string const first = R"({"id":"m","object":"model","max_model_len":512,"x":1.10})";
  tell_models(0, {{"m", "", "", 0, first}});
  tell_models(1, {{"m", "", "", 0, R"({"id":"m","object":"model","max_model_len":1})"}, {"n", "", "", 0, R"({"id":"n"})"}});
  registry.set_health(endpoint(0), Health::down, "probe_refused");  // what it told stays listed

  auto const body = models_view(*fleet(), 1234);
  EXPECT_NE(body.find(first), std::string::npos) << body;
  auto const json = Json::parse(body);
  EXPECT_EQ(json["object"], "list");
  ASSERT_EQ(json["data"].size(), 3u);
  EXPECT_EQ(json["data"][0]["id"], "m");
  EXPECT_EQ(json["data"][1]["id"], "n");
  EXPECT_EQ(json["data"][2]["id"], "only-configured");
  EXPECT_EQ(json["data"][2]["created"], 1234);
}

TEST_F(Views, OneModel) {
  registry.set_engines({engine("http://a:1")}, {"known/one"});
  tell_models(0, {{"m", "", "", 0, R"({"id":"m","root":"/x"})"}});
  EXPECT_EQ(model_view(*fleet(), "m", 1), R"({"id":"m","root":"/x"})");
  EXPECT_EQ(Json::parse(model_view(*fleet(), "known/one", 1).value())["id"], "known/one");
  EXPECT_EQ(model_view(*fleet(), "other", 1), std::nullopt);
}

TEST_F(Views, ReadyNeedsAnEngineThatIsUpAndHasToldItsModels) {
  registry.set_engines({engine("http://a:1"), engine("http://b:2")}, {});
  auto const no_engine = R"({"status":"no usable engine","usable":0,"engines":2})";
  EXPECT_EQ(ready_view(readiness_of(*fleet(), false)), no_engine);
  registry.set_health(endpoint(0), Health::up, "probe_ok");
  tell_models(1, {{"m", "", "", 0, R"({"id":"m"})"}});
  EXPECT_EQ(ready_view(readiness_of(*fleet(), false)), no_engine) << "up and told are not the same engine";
  registry.set_health(endpoint(1), Health::up, "probe_ok");
  EXPECT_TRUE(readiness_of(*fleet(), false).ready());
  EXPECT_EQ(ready_view(readiness_of(*fleet(), false)), R"({"status":"ready","usable":1,"engines":2})");
  EXPECT_FALSE(readiness_of(*fleet(), true).ready());
  EXPECT_EQ(ready_view(readiness_of(*fleet(), true)), R"({"status":"draining","usable":1,"engines":2})");
  registry.set_health(endpoint(1), Health::suspect, "connect_refused");
  EXPECT_FALSE(readiness_of(*fleet(), false).ready());
}

}  // namespace
}  // namespace kvgate::admin
