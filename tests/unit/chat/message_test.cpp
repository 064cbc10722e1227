#include "text/chat/message.hpp"

#include <gtest/gtest.h>

#include "unit/chat/shown.hpp"

namespace kvgate::text {
namespace {

using test::shown;

struct Case {
  std::string message, content, tool_calls;
};

TEST(ReadMessage, TakesWhatVllmsModelsTake) {
  std::string const call =
      R"({"type": "function", "function": {"name": "f", "arguments": "{}", "k": 1}, "x": 2, "id": "1"})";
  std::string const ordered =
      R"([{"id": "1", "function": {"arguments": "{}", "name": "f", "k": 1}, "type": "function", "x": 2}])";
  std::vector<Case> const table{
      {R"({"role": "user", "content": "a", "foo": 1})", R"("a")", "undefined"},
      {R"({"role": "user"})", "undefined", "undefined"},
      {R"({"role": "assistant", "content": null})", "null", "undefined"},
      {R"({"role": "assistant", "tool_calls": [)" + call + "]}", "undefined", ordered},
      {R"({"role": "assistant", "content": "a", "tool_calls": null})", R"("a")", "null"},
      {R"({"role": "assistant", "content": "a", "tool_calls": {}})", R"("a")", "[]"},
      {R"({"role": "critic", "content": ["a", {"odd": 1}]})", R"(["a", {"odd": 1}])", "undefined"},
      {R"({"role": "tool", "content": "a", "name": 5, "tool_call_id": "1"})", R"("a")", "undefined"},
  };
  for (Case const& c : table) {
    test::Texts texts;
    auto const message = read_message(texts.parsed(c.message), texts.arena);
    ASSERT_TRUE(message) << c.message << ": " << message.error().message;
    EXPECT_EQ(shown(message->content), c.content) << c.message;
    EXPECT_EQ(shown(message->tool_calls), c.tool_calls) << c.message;
  }
}

TEST(ReadMessage, RefusesWhatNoModelTakes) {
  std::string const call = R"({"role": "assistant", "tool_calls": [{"type": "function", )";
  for (std::string const& text : std::vector<std::string>{
           R"(5)", R"("x")", R"({"content": "x"})", R"({"role": 5, "content": "x"})",
           R"({"role": "user", "content": null})", R"({"role": "system", "content": 5})",
           R"({"role": "user", "content": "x", "name": null})", R"({"role": "user", "content": "x", "tool_calls": 5})",
           R"({"role": "critic", "content": "x", "task": 5})",
           call + R"("id": 1, "function": {"name": "f", "arguments": ""}}]})",
           call + R"("id": "1", "function": {"name": "f", "arguments": {}}}]})",
           R"({"role": "assistant", "tool_calls": ["x"]})"}) {
    test::Texts texts;
    auto const message = read_message(texts.parsed(text), texts.arena);
    ASSERT_FALSE(message) << text;
    EXPECT_EQ(shown(message.error()), "refused") << text;
  }
}

TEST(ReadMessage, OpenAisModelLooksAtPartsLate) {
  struct Row {
    std::string message;
    bool lazy, broken;
  };
  std::string const image = R"([{"type": "image_url", "image_url": {"url": "x"}}])";
  std::vector<Row> const table{
      {R"({"role": "user", "content": ["a"]})", true, true},                              // a tie: OpenAI's model
      {R"({"role": "user", "content": [{"type": "text", "text": "a"}]})", false, false},  // vLLM's recognises more
      {R"({"role": "user", "content": ["a"], "task": null})", false, false},
      {R"({"role": "user", "content": [{"type": "text", "text": "a"}], "task": 5})", true, false},
      {R"({"role": "tool", "tool_call_id": "1", "content": )" + image + "}", false, false},
      {R"({"role": "user", "content": [{"type": "odd"}]})", true, true},
  };
  for (Row const& row : table) {
    test::Texts texts;
    auto const message = read_message(texts.parsed(row.message), texts.arena);
    ASSERT_TRUE(message) << row.message;
    EXPECT_EQ(message->lazy_content, row.lazy) << row.message;
    EXPECT_EQ(message->broken_content, row.broken) << row.message;
  }
}

TEST(ReadMessage, OldNameOfReasoning) {
  test::Texts texts;
  struct Row {
    char const *message, *reasoning;
  };
  for (Row const& row : {Row{R"({"role": "assistant", "reasoning_content": "a"})", R"("a")"},
                         Row{R"({"role": "assistant", "reasoning_content": "a", "reasoning": null})", R"("a")"},
                         Row{R"({"role": "assistant", "reasoning_content": "a", "reasoning": "b"})", R"("b")"}}) {
    auto const message = read_message(texts.parsed(row.message), texts.arena);
    ASSERT_TRUE(message);
    EXPECT_EQ(shown(message->reasoning), row.reasoning) << row.message;
  }
}

TEST(ReadMessage, HarmonysFormIsNotRead) {
  test::Texts texts;
  auto const message = read_message(texts.parsed(R"({"author": {"role": "user"}, "content": []})"), texts.arena);
  ASSERT_FALSE(message);
  EXPECT_EQ(shown(message.error()), "unknown: input_item");
}

}  // namespace
}  // namespace kvgate::text
