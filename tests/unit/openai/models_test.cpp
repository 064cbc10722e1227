#include "openai/models.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/openai/recorded.hpp"

namespace kvgate::openai {
namespace {

std::string list_of(std::string const& elements) {
  return R"({"object":"list","data":[)" + elements + "]}";
}

TEST(ParseModels, KeepsEveryFieldAsItIs) {
  std::string const base = R"({"id":"m","z":1.10,"n":18446744073709551616,"a":[1, {"id":"x"}],"parent":null})";
  std::string const lora = R"({ "parent": "m", "id": "org\/a-1", "root": "/adapters" })";
  auto const cards = parse_models(" { \"x\":[] , \"data\" : [ " + base + " ,\n" + lora + " ] }");
  ASSERT_TRUE(cards) << cards.error().message;
  ASSERT_EQ(cards->size(), 2u);
  EXPECT_EQ((*cards)[0].id, "m");
  EXPECT_EQ((*cards)[0].json, base);
  EXPECT_TRUE((*cards)[0].base());
  EXPECT_EQ((*cards)[1].id, "org/a-1");
  EXPECT_EQ((*cards)[1].parent, "m");
  EXPECT_EQ((*cards)[1].json, lora);
  EXPECT_FALSE((*cards)[1].base());
  EXPECT_EQ(models_body(*cards), list_of(base + "," + lora));
}

TEST(ParseModels, LeavesOutElementsThatAreNoModels) {
  auto const cards = parse_models(list_of(R"(1,null,"x",[{"id":"in"}],{},{"id":7},{"id":""},{"id":"bad","x":tru},)"
                                          R"({"id":"\ud83d"},{"id":")" +
                                          std::string(kMaxModelId + 1, 'a') + R"("},{"id":"good","parent":5})"));
  ASSERT_TRUE(cards) << cards.error().message;
  ASSERT_EQ(cards->size(), 1u);
  EXPECT_EQ((*cards)[0].id, "good");
  EXPECT_TRUE((*cards)[0].base());
}

TEST(ParseModels, DepthAndNumbersDoNotHurt) {
  std::string const deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  auto const cards = parse_models(list_of(R"({"id":"a","x":)" + deep + R"(},{"id":"b","n":1e400},{"id":"c","n":)" +
                                          std::string(5000, '9') + R"(})"));
  ASSERT_TRUE(cards) << cards.error().message;
  EXPECT_EQ(cards->front().id, "a");
}

TEST(ParseModels, BadAnswers) {
  std::string many;
  for (std::size_t i = 0; i <= kMaxModels; ++i) many += R"({"id":"a"},)";
  many.pop_back();
  for (auto const& body :
       {std::string(), std::string("Not Found"), std::string("[]"), std::string("{}"), std::string(R"({"data":5})"),
        std::string(R"({"data":{"id":"a"}})"), std::string(R"({"data":[{"id":"a"})"),
        std::string(R"({"data":[{"id":"a"}])"), std::string(R"({"data":[{"id":"a"} {"id":"b"}]})"),
        std::string("{\"data\":[{\"id\":\"\xC3(\"}]}"), std::string(200'000, '['), list_of(many),
        std::string(kMaxModelsBody + 1, ' ')}) {
    auto const cards = parse_models(body);
    ASSERT_FALSE(cards) << body.substr(0, 60);
    EXPECT_EQ(cards.error().kind, ErrorKind::engine_bad_response);
  }
  EXPECT_EQ(parse_models(list_of(""))->size(), 0u);
}

TEST(ModelsBody, FirstCardOfAnIdWins) {
  std::vector<ModelCard> const cards{
      {"a", "", "", 0, R"({"id":"a","n":1})"}, {"b", "", "", 0, R"({"id":"b"})"}, {"a", "", "", 0, R"({"id":"a","n":2})"}};
  EXPECT_EQ(models_body(cards), list_of(R"({"id":"a","n":1},{"id":"b"})"));
  EXPECT_EQ(models_body({}), list_of(""));
}

TEST(ConfiguredModel, IsACardLikeAnyOther) {
  auto const card = configured_model("org/\"x\"\xFF", 1700000000);
  EXPECT_EQ(card.id, "org/\"x\"\xFF");
  auto const json = nlohmann::json::parse(card.json);
  EXPECT_EQ(json["id"], "org/\"x\"\xEF\xBF\xBD");
  EXPECT_EQ(json["object"], "model");
  EXPECT_EQ(json["created"], 1700000000);
  EXPECT_TRUE(json["parent"].is_null());
  EXPECT_TRUE(card.base());
}

TEST(ParseModels, RecordedAnswersComeOutUnchanged) {
  KVGATE_NEEDS_RECORDED();
  for (auto const& [file, id] : {std::pair{"models.resp", "tiny"}, std::pair{"pooling/models.resp", "tiny-embed"}}) {
    auto const body = test::recorded_body(file);
    auto const cards = parse_models(body);
    ASSERT_TRUE(cards) << file;
    ASSERT_EQ(cards->size(), 1u);
    EXPECT_EQ(cards->front().id, id);
    EXPECT_EQ(models_body(*cards), body);
  }
}

}  // namespace
}  // namespace kvgate::openai
