#include "text/chat/chat_request.hpp"

#include <gtest/gtest.h>

#include "text/chat/tool_shapes.hpp"
#include "unit/chat/shown.hpp"

namespace kvgate::text {
namespace {

using test::shown;

std::string outcome(std::string const& fields) {
  test::Texts texts;
  std::string const more = fields.empty() ? "" : ", " + fields;
  auto const body = texts.parsed(R"({"messages": [{"role": "user", "content": "a"}])" + more + "}");
  auto const request = read_chat_request(body, texts.arena);
  return request ? "read" : shown(request.error());
}

TEST(ChatRequest, WhatIsRefused) {
  std::string const tool = R"("tools": [{"type": "function", "function": {"name": "f"}}])";
  struct Row {
    std::string fields, expected;
  };
  std::vector<Row> const table{
      {"", "read"},
      {tool, "read"},
      {tool + R"(, "tool_choice": "required")", "read"},
      {tool + R"(, "tool_choice": {"type": "function", "function": {"name": "f"}})", "read"},
      {tool + R"(, "tool_choice": {"type": "function", "function": {"name": "g"}})", "refused"},
      {tool + R"(, "tool_choice": "odd")", "refused"},
      {R"("tool_choice": "auto")", "refused"},
      {R"("tool_choice": "none")", "read"},
      {R"("tools": [])", "refused"},
      {R"("tools": null)", "read"},
      {R"("tools": [{"function": {"name": 5}}])", "refused"},
      {R"("tools": [{"type": "custom", "function": {"name": "f"}}])", "refused"},
      {R"("reasoning_effort": "high")", "read"},
      {R"("reasoning_effort": "odd")", "refused"},
      {R"("add_generation_prompt": "no")", "read"},
      {R"("add_generation_prompt": null)", "refused"},
      {R"("continue_final_message": true, "add_generation_prompt": true)", "refused"},
      {R"("documents": [{"title": "a"}])", "read"},
      {R"("documents": [{"title": 1}])", "refused"},
      {R"("chat_template_kwargs": [])", "refused"},
      {R"("chat_template": "x")", "unknown: request_template"},
      {R"("chat_template_kwargs": {"chat_template": "x"})", "unknown: request_template"},
      {R"("chat_template_kwargs": {"chat_template": null})", "read"},
      {R"("truncate_prompt_tokens": -2)", "refused"},
      {R"("truncation_side": "middle")", "refused"},
      {R"("messages": 5)", "refused"},
  };
  for (Row const& row : table) EXPECT_EQ(outcome(row.fields), row.expected) << row.fields;
}

TEST(ChatRequest, ForwardedIdsAreThePrompt) {
  auto const read = [](std::string const& message, std::string const& fields) {
    test::Texts texts;
    auto const body = texts.parsed(R"({"messages": [{"role": "user", "content": )" + message +
                                   R"(}], "kv_transfer_params": {"prompt_token_ids": [1, 2]})" + fields + "}");
    auto const request = read_chat_request(body, texts.arena);
    return request ? shown(request->forwarded_ids) : shown(request.error());
  };
  EXPECT_EQ(read(R"("a")", ""), "[1, 2]");
  EXPECT_EQ(read(R"("a")", R"(, "echo": true)"), "undefined");
  EXPECT_EQ(read(R"([{"type": "image_url", "image_url": {"url": "x"}}])", ""), "undefined");
}

TEST(Tools, AreWrittenAsTheEngineDoes) {
  struct Row {
    std::string tool, expected;
  };
  auto const written = [](std::string const& function, std::string const& more = "") {
    return R"([{"type": "function", "function": {"name": "f", "description": null, )" + function + "}" + more + "}]";
  };
  std::vector<Row> const table{
      {R"({"function": {"parameters": {}, "name": "f"}, "type": "function", "x": 1})", written(R"("parameters": {})")},
      {R"({"function": {"name": "f", "strict": true, "x": 1}})", written(R"("parameters": null, "strict": true)")},
      {R"({"function": {"name": "f", "strict": null}, "defer_loading": true})",
       written(R"("parameters": null, "defer_loading": true)", R"(, "defer_loading": true)")},
      {R"({"function": {"name": "f", "parameters": []}})", "refused"},
      {R"("x")", "refused"},
  };
  for (Row const& row : table) {
    test::Texts texts;
    EXPECT_EQ(shown(dump_tools(texts.parsed("[" + row.tool + "]"), texts.arena)), row.expected);
  }
}

}  // namespace
}  // namespace kvgate::text
