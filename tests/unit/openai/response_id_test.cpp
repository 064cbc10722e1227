#include "openai/response_id.hpp"

#include <gtest/gtest.h>

#include "unit/openai/recorded.hpp"

namespace kvgate::openai {
namespace {

std::string id_of(std::string_view text) {
  ResponseIdFinder finder;
  finder.feed(text);
  return finder.id().value_or("-");
}

TEST(ResponseIdFinder, TopLevelIdOnly) {
  struct {
    std::string text;
    char const* id;
  } const cases[] = {
      {R"({"id":"resp_1","object":"response"})", "resp_1"},
      {R"( { "object" : "response", "id" : "resp_a.b~c-D" })", "resp_a.b~c-D"},
      {R"({"output":[{"id":"resp_inner"}],"id":"resp_1"})", "resp_1"},
      {R"({"x":{"id":"resp_inner"}})", "-"},
      {R"({"text":"\"id\":\"resp_no\"","id":"resp_1"})", "resp_1"},
      {R"({"a":"id","b":"resp_no"})", "-"},
      {R"({"id":7,"b":"resp_no"})", "-"},
      {R"({"id":"resp_a/b"})", "-"},
      {R"({"id":"resp_a\n"})", "-"},
      {R"({"id":"chatcmpl-1"})", "-"},
      {R"({"error":{"message":"x"}})", "-"},
      {"{\"id\":\"resp_" + std::string(300, 'a') + "\"}", "-"},
      {"event: response.created\ndata: {\"response\":{\"id\":\"resp_1\",", "resp_1"},
      {"event: response.created\r\ndata:{\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"object\":"
       "\"response\",\"id\":\"resp_1\"}}\r\n\r\n",
       "resp_1"},
      {": ping\n\ndata: {\"item\":{\"id\":\"resp_no\"}}\n\ndata: {\"response\":{\"id\":\"resp_1\"}}\n\n", "resp_1"},
      {"data: {\"response\":{\"x\":{\"id\":\"resp_no\"}}}\n\n", "-"},
      {"", "-"},
      {"[]", "-"},
      {"{\"pad\":\"" + std::string(5000, 'x') + "\",\"id\":\"resp_1\"}", "-"},
  };
  for (auto const& c : cases) EXPECT_EQ(id_of(c.text), c.id) << c.text.substr(0, 200);
}

TEST(ResponseIdFinder, NeverTakesACutId) {
  std::string const text = R"({"id":"resp_123","object":"response"})";
  ResponseIdFinder finder;
  for (char const c : text) {
    finder.feed({&c, 1});
    if (finder.id()) {
      EXPECT_EQ(*finder.id(), "resp_123");
    }
  }
  EXPECT_EQ(finder.id(), "resp_123");
  finder.reset();
  EXPECT_EQ(finder.id(), std::nullopt);
  finder.feed(R"({"id":"resp_2"})");
  EXPECT_EQ(finder.id(), "resp_2");
}

TEST(ResponseIdFinder, RecordedInPieces) {
  KVGATE_NEEDS_RECORDED();
  std::mt19937 random(4);
  for (auto const& [file, id] : {std::pair{"responses.resp", "resp_b108ac1edcaa944e"},
                                 std::pair{"responses_stream.resp", "resp_9b4fc37d0581edb5"}}) {
    for (std::size_t const longest : {1u, 20u, 2000u}) {
      ResponseIdFinder finder;
      test::in_pieces(test::recorded_body(file), longest, random, [&](std::string_view piece) { finder.feed(piece); });
      EXPECT_EQ(finder.id(), id) << file;
    }
  }
}

}  // namespace
}  // namespace kvgate::openai
