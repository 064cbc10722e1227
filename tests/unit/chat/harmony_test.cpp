#include <gtest/gtest.h>

#include "text/chat/harmony/chat.hpp"
#include "text/chat/harmony/render.hpp"
#include "text/chat/harmony/typescript.hpp"
#include "unit/chat/shown.hpp"

namespace kvgate::text {
namespace {

using test::shown;

/// Behind the system message.
std::string rendered(std::string const& body) {
  test::Texts texts;
  auto const request = read_chat_request(texts.parsed(body), texts.arena);
  if (!request) return shown(request.error());
  auto const messages = harmony::chat_messages(*request, true, "2025-03-09", texts.arena);
  if (!messages) return shown(messages.error());
  std::string const text = harmony::render_text(*messages);
  return text.substr(text.find("<|end|>") + 7);
}

std::string chat(std::string const& messages, std::string const& fields = "") {
  return rendered(R"({"messages": [)" + messages + "]" + fields + "}");
}

TEST(Harmony, SystemMessage) {
  test::Texts texts;
  auto const request = read_chat_request(
      texts.parsed(R"({"messages": [], "reasoning_effort": "high", "tools": [{"function": {"name": "f"}}]})"),
      texts.arena);
  ASSERT_TRUE(request);
  auto const with = harmony::chat_messages(*request, true, "2025-03-09", texts.arena);
  auto const without = harmony::chat_messages(*request, false, "2025-03-09", texts.arena);
  ASSERT_TRUE(with && without);
  std::string const head =
      "<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.\n"
      "Knowledge cutoff: 2024-06\nCurrent date: 2025-03-09\n\nReasoning: high\n\n"
      "# Valid channels: analysis, commentary, final. Channel must be included for every message.";
  EXPECT_EQ(harmony::render_text(*without), head + "<|end|><|start|>assistant");
  EXPECT_EQ(harmony::render_text(*with),
            head +
                "\nCalls to these tools must go to the commentary channel: 'functions'.<|end|>"
                "<|start|>developer<|message|># Tools\n\n## functions\n\nnamespace functions {\n\n"
                "type f = () => any;\n\n} // namespace functions<|end|><|start|>assistant");
}

TEST(Harmony, Conversations) {
  std::string const user = R"({"role": "user", "content": "u"})";
  std::string const call =
      R"({"role": "assistant", "content": "c", "reasoning": "r", "tool_calls": [{"id": "1", "type": "function",
          "function": {"name": "f", "arguments": "{}"}}]})";
  std::string const calling =
      "<|start|>assistant<|channel|>commentary<|message|>c<|end|><|start|>assistant<|channel|>analysis<|message|>r<|"
      "end|>"
      "<|start|>assistant to=functions.f<|channel|>commentary json<|message|>{}<|call|>";
  struct Row {
    std::string messages, expected;
  };
  std::vector<Row> const table{
      {user, "<|start|>user<|message|>u<|end|>"},
      {R"({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "x"}}]})",
       "<|start|>user<|message|>a<|end|>"},
      {R"({"role": "system", "content": "s"}, )" + user,
       "<|start|>developer<|message|># Instructions\n\ns<|end|><|start|>user<|message|>u<|end|>"},
      {R"({"role": "system", "content": ""}, {"role": "developer", "content": ""})",
       "<|start|>developer<|message|># Instructions\n\n<|end|>"},
      {call +
           R"(, {"role": "tool", "tool_call_id": "1", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]})",
       calling + "<|start|>functions.f<|channel|>commentary to=assistant<|message|>ab<|end|>"},
      {R"({"role": "tool", "content": "a"})",
       "<|start|>functions.<|channel|>commentary to=assistant<|message|>a<|end|>"},
      {R"({"role": "assistant", "content": "1", "reasoning": "old"}, {"role": "assistant", "content": "2", "reasoning": "old"},
          {"role": "assistant", "reasoning": "new"})",
       "<|start|>assistant<|channel|>final<|message|>1<|end|><|start|>assistant<|channel|>final<|message|>2<|end|>"
       "<|start|>assistant<|channel|>analysis<|message|>new<|end|>"},
  };
  for (Row const& row : table) EXPECT_EQ(chat(row.messages), row.expected + "<|start|>assistant") << row.messages;
  EXPECT_EQ(chat(R"({"role": "critic", "content": "a"})"), "refused");
  EXPECT_EQ(chat(R"({"role": "user", "tool_calls": null})"), "refused");
  EXPECT_EQ(chat(user, R"(, "reasoning_effort": "none")"), "refused");
  EXPECT_EQ(chat(user, R"(, "reasoning_effort": "max")"), "refused");
}

TEST(Harmony, TypesOfSchemas) {
  struct Row {
    std::string schema, expected;
  };
  std::vector<Row> const table{
      {R"({})", "any"},
      {R"({"type": "string"})", "string"},
      {R"({"type": "integer"})", "number"},
      {R"({"type": ["integer", "null", 5]})", "number | null"},
      {R"({"type": []})", "any"},
      {R"({"type": "string", "enum": ["a", 1, "b"]})", R"("a" | "b")"},
      {R"({"type": "array"})", "Array<any>"},
      {R"({"type": "array", "items": {"type": "string"}})", "string[]"},
      {R"({"type": "object", "description": "d"})", "// d\n{\n}"},
      {R"({"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "default": "x", "title": "T"},
           "b": {"type": "number", "nullable": true, "default": 1e-7, "description": "B", "examples": ["e", 1]}}})",
       "{\n// T\n//\na: string, // default: \"x\"\n// B\n// Examples:\n// - \"e\"\nb?: number | null, // default: "
       "1e-7\n}"},
      {R"({"oneOf": [{"type": "string", "description": "s"}, {"type": "number", "default": 1.0}]})",
       "\n | string // s\n | number // default: 1.0"},
      {R"({"type": "object", "properties": {"a": {"oneOf": [{"type": "string", "description": "1"},
           {"type": "number", "description": "2"}, {"description": "P"}], "description": "P", "default": []}}})",
       "{\n// P\n// default: []\na?:\n | string\n | number // 2\n | any\n,\n}"},
      {R"({"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {}}}}})",
       "{\na?: {\n    b?: any,\n    },\n}"},
  };
  for (Row const& row : table) {
    test::Texts texts;
    EXPECT_EQ(harmony::typescript_type(texts.parsed(row.schema), ""), row.expected) << row.schema;
  }
}

TEST(Harmony, NumbersOfDefaults) {
  struct Row {
    char const *number, *expected;
  };
  for (Row const& row :
       {Row{"1e16", "1e+16"}, Row{"1e15", "1000000000000000.0"}, Row{"0.00001", "0.00001"}, Row{"1.5e-6", "1.5e-6"},
        Row{"-0.0", "-0.0"}, Row{"18446744073709551615", "18446744073709551615"},
        Row{"18446744073709551616", "1.8446744073709552e+19"}, Row{"-5", "-5"},
        Row{R"(["a\"\n\u0001é"])", R"(["a\"\n\u0001é"])"}, Row{R"({"a": null})", R"({"a":null})"}}) {
    test::Texts texts;
    std::string const schema =
        std::string(R"({"type": "object", "properties": {"a": {"default": )") + row.number + "}}}";
    EXPECT_EQ(harmony::typescript_type(texts.parsed(schema), ""),
              std::string("{\na?: any, // default: ") + row.expected + "\n}");
  }
}

}  // namespace
}  // namespace kvgate::text
