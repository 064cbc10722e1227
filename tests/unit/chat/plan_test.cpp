#include "text/chat/plan.hpp"

#include <gtest/gtest.h>

#include "unit/chat/shown.hpp"

namespace kvgate::text {
namespace {

using test::shown;
using Planner = Outcome<Plan> (*)(Value const&, PlanContext const&);

constexpr char const* kTemplate =
    "{% for m in messages %}<{{ m.role }}>{% if m.reasoning %}({{ m.reasoning }}){% endif %}{{ m.content }}"
    "{% for c in m.tool_calls %}[{{ c.id }} {{ c.function.name }} {{ c.function.arguments | tojson }}]{% endfor %}{% "
    "endfor %}"
    "{% if tools %}{{ tools | tojson }}{% endif %}{% if add_generation_prompt %}>{% endif %}{{ reasoning_effort }}";

PromptModel model(std::string source = kTemplate) {
  PromptModel out;
  out.templates.plain = *make_chat_template(std::move(source), std::nullopt);
  out.disabled_thinking_effort = "none";
  return out;
}

std::string planned(Planner plan, std::string const& body, PromptModel const& with) {
  test::Texts texts;
  jinja::RenderOptions const options;
  return shown(plan(texts.parsed(body), PlanContext{with, options, texts.arena}));
}

struct Row {
  std::string body, expected;
};

void expect(Planner plan, std::vector<Row> const& table, PromptModel const& with) {
  for (Row const& row : table) EXPECT_EQ(planned(plan, row.body, with), row.expected) << row.body;
}

TEST(PlanCompletion, Prompts) {
  expect(plan_completion,
         {{R"({"prompt": "a"})", "a+"},
          {R"({"prompt": ["a", "b"], "add_special_tokens": false})", "a ; b"},
          {R"({"prompt": [1, 2]})", "#1 2 "},
          {R"({"prompt": [[1], [2, 3]]})", "#1  ; #2 3 "},
          {R"({"prompt": ["a", [1]]})", "refused"},
          {R"({"prompt": []})", "refused"},
          {R"({"prompt": null})", "refused"},
          {R"({"prompt": {}})", "refused"},
          {R"({"prompt": [1.5]})", "unknown: body"},
          {R"({"prompt": [-1]})", "unknown: body"},
          {R"({"prompt": "a", "suffix": "b"})", "unknown: renderer"},
          {R"({"prompt": "a", "prompt_embeds": "b"})", "unknown: prompt_embeds"}},
         model());
}

TEST(PlanChat, Prompts) {
  PromptModel native = model();
  native.renderer = Renderer::unsupported;
  std::string const user = R"({"messages": [{"role": "user", "content": "a"}])";
  expect(plan_chat,
         {{user + "}", "<user>a>"},
          {user + R"(, "add_special_tokens": true})", "<user>a>+"},
          {user + R"(, "kv_transfer_params": {"prompt_token_ids": [4, 5]}})", "#4 5 "},
          {user + R"(, "kv_transfer_params": {"prompt_token_ids": []}})", "refused"},
          {R"({"messages": []})", "refused"}},
         model());
  expect(plan_chat, {{user + "}", "unknown: renderer"}}, native);
  expect(plan_batch_chat,
         {{R"({"messages": [[{"role": "user", "content": "a"}], [{"role": "user", "content": "b"}]]})",
           "<user>a> ; <user>b>"},
          {R"({"messages": [{"role": "user", "content": "a"}]})", "refused"},
          {R"({"messages": []})", "refused"}},
         model());
}

TEST(PlanEmbedding, TextsIdsAndChats) {
  std::string const chat = R"([{"role": "user", "content": "a"}])";
  expect(plan_embedding,
         {{R"({"input": "a"})", "a+"},
          {R"({"input": ["a", "b"]})", "a+ ; b+"},
          {R"({"input": [1, 2]})", "#1 2 "},
          {R"({"messages": )" + chat + "}", "<user>a"},
          {R"({"messages": [)" + chat + ", " + chat + "]}", "<user>a ; <user>a"},
          {R"({"input": )" + chat + R"(, "add_generation_prompt": true})", "<user>a>"},
          {R"({"input": "a", "padding": "max_length"})", "unknown: truncation"},
          {R"({})", "unknown: body"}},
         model());
}

TEST(PlanScoring, ByModel) {
  std::string const one = R"({"query": "q", "documents": ["a", "b"]})";
  auto with = [](Scoring scoring) {
    PromptModel out = model("{{ instruction }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}");
    out.scoring = scoring;
    return out;
  };
  expect(plan_scoring,
         {{one, "q|a ; q|b"},
          {R"({"text_1": ["q", "r"], "text_2": ["a", "b"]})", "q|a ; r|b"},
          {R"({"queries": "q", "items": "a"})", "q|a"},
          {R"({"text_1": ["q", "r"], "text_2": ["a"]})", "refused"},
          {R"({"query": "q"})", "refused"},
          {R"({"query": "q", "documents": []})", "refused"},
          {R"({"query": "q", "documents": [{"content": []}]})", "unknown: media"},
          {R"({"query": "q", "documents": ["a"], "max_tokens_per_doc": 5})", "unknown: truncation"}},
         with(Scoring::pairs));
  expect(plan_scoring, {{one, "q+ ; a+ ; b+"}}, with(Scoring::apart));
  expect(plan_scoring, {{one, "qa+ ; qb+"}}, with(Scoring::joined));
  expect(plan_scoring, {{one, "unknown: pair_format"}}, with(Scoring::unknown));
  expect(plan_scoring,
         {{one, "<query>q<document>a+ ; <query>q<document>b+"},
          {R"({"query": "q", "documents": "a", "instruction": "I"})", "I<query>q<document>a+"}},
         with(Scoring::rendered));
}

TEST(PlanResponse, ItemsBecomeMessages) {
  std::string const call = R"({"type": "function_call", "call_id": "1", "name": "f", "arguments": "{\"a\": 1}")";
  std::string const reasoning =
      R"({"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "r"}]})";
  expect(
      plan_response,
      {{R"({"input": "a"})", "<user>a>+"},
       {R"({"input": "a", "instructions": "i"})", "<system>i<user>a>+"},
       {R"({"input": "a", "instructions": "", "reasoning": {"effort": "low"}})", "<user>a>low+"},
       {R"({"input": [{"role": "user", "content": [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]}]})",
        "<user>a\nb>+"},
       {R"({"input": [)" + reasoning + ", " + call + "}, " + call + R"(, "namespace": "n"}]})",
        R"(<assistant>(r)[1 f {"a": 1}][1 n__f {"a": 1}]>+)"},
       {R"({"input": [{"type": "function_call_output", "call_id": "1", "output": "o"}]})", "<tool>o>+"},
       {R"({"input": [{"type": "message", "role": "assistant", "status": "incomplete", "content": [{"type": "output_text", "text": "a"}]}]})",
        "<assistant>a+"},
       {R"({"input": [{"type": "custom_tool_call", "call_id": "1", "name": "f", "input": "x"}]})",
        R"(<assistant>[1 f {"input": "x"}]>+)"},
       {R"({"input": [{"type": "message", "role": "assistant", "content": []}]})", "refused"},
       {R"({"input": [{"type": "item_reference", "id": "x"}]})", "unknown: input_item"},
       {R"({"input": [{"role": "user", "content": [{"type": "text", "text": "a"}]}]})", "unknown: input_item"},
       {R"({"input": "a", "previous_response_id": "x"})", "unknown: previous_response"},
       {R"({"input": "a", "tools": [{"type": "web_search_preview"}]})", "<user>a>+"},
       {R"({"input": "a", "tools": [{"type": "function", "name": "f"}]})",
        R"(<user>a[{"type": "function", "function": {"name": "f", "description": null, "parameters": null}}]>+)"},
       {R"({"input": "a", "tools": [{"type": "function", "function": {"name": "f"}}]})", "refused"},
       {R"({"input": 5})", "refused"}},
      model());
}

TEST(PlanResponse, Harmony) {
  PromptModel with;
  with.renderer = Renderer::harmony;
  with.start_date = "2025-03-09";
  expect(plan_response,
         {{R"({"input": "a"})", "harmony"},
          {R"({"input": "a", "tools": [{"type": "web_search_preview"}]})", "unknown: builtin_tools"},
          {R"({"input": [{"type": "function_call_output", "call_id": "1", "output": "o"}]})", "refused"},
          {R"({"input": [{"type": "custom_tool_call", "call_id": "1", "name": "f", "input": "x"}]})", "refused"}},
         with);
}

TEST(PlanMessages, BlocksBecomeMessages) {
  auto const ask = [](std::string const& message, std::string const& fields = "") {
    return R"({"messages": [)" + message + "]" + fields + "}";
  };
  std::string const user = R"({"role": "user", "content": "a"})";
  expect(
      plan_messages,
      {{ask(user), "<user>a>"},
       {ask(user,
            R"(, "system": [{"type": "text", "text": "s"}, {"type": "text", "text": "x-anthropic-billing-header: 1"}])"),
        "<system>s<user>a>"},
       {ask(R"({"role": "system", "content": "s"})"), "<system>s>"},
       {ask(R"({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]})"),
        "<user>a\nb>"},
       {ask(R"({"role": "assistant", "content": [{"type": "thinking", "thinking": "t"}, {"type": "text", "text": "a"},
                   {"type": "tool_use", "id": "1", "name": "f", "input": {"é": 1.0}}]})"),
        R"(<assistant>(t)a[1 f {"é": 1.0}]>)"},
       {ask(R"({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1",
                   "content": [{"type": "text", "text": "x"}, {"type": "text", "text": "y"}]}, {"type": "text", "text": "a"}]})"),
        "<tool>x\ny<user>a>"},
       {ask(R"({"role": "user", "content": [{"type": "odd"}]})"), "refused"},
       {ask(R"({"role": "assistant", "content": [{"type": "tool_use", "name": "f"}]})"), "unknown: input_item"},
       {ask(user, R"(, "thinking": {"type": "disabled"})"), "<user>a>none"},
       {ask(user, R"(, "output_config": {"effort": "high"})"), "<user>a>high"},
       {ask(user, R"(, "output_config": {"effort": "odd"})"), "refused"},
       {ask(user, R"(, "tools": [{"name": "f", "input_schema": {}}])"),
        R"(<user>a[{"type": "function", "function": {"name": "f", "description": null, "parameters": {"type": "object"}}}]>)"},
       {ask(user, R"(, "tools": [{"name": "f"}])"), "refused"}},
      model());
  PromptModel merging = model();
  merging.merges_inline_system = true;
  expect(plan_messages, {{ask(user + R"(, {"role": "system", "content": "s"})"), "<system>s<user>a>"}}, merging);
}

}  // namespace
}  // namespace kvgate::text
