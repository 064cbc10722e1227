#include "text/chat/render_chat.hpp"

#include <gtest/gtest.h>

#include "unit/chat/shown.hpp"

namespace kvgate::text {
namespace {

using test::shown;

constexpr char const* kChatMl =
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}<end>{% endfor %}"
    "{% if tools %}[{{ tools | length }}]{% endif %}{% if add_generation_prompt %}<assistant>{% endif %}";
constexpr char const* kParts =
    "{% for m in messages %}<{{ m.role }}>{% for p in m.content %}{% if p.type == 'image' %}<image>{% else %}"
    "{{ p.text }}{% endif %}{% endfor %}<end>{% endfor %}";

ChatTemplates templates(std::string plain, std::optional<std::string> with_tools = std::nullopt) {
  ChatTemplates out;
  out.plain = *make_chat_template(std::move(plain), std::nullopt);
  if (with_tools) out.with_tools = *make_chat_template(std::move(*with_tools), std::nullopt);
  out.special_tokens = {{"bos_token", "<s>"}};
  return out;
}

std::string rendered(ChatTemplates const& model, std::string const& body) {
  test::Texts texts;
  auto const request = read_chat_request(texts.parsed(body), texts.arena);
  if (!request) return shown(request.error());
  auto const chat = render_chat(*request, model, {}, texts.arena);
  if (!chat) return shown(chat.error()) + (chat.error().unknown ? "" : " " + chat.error().message);
  return chat->text;
}

std::string ask(std::string const& fields) {
  return R"({"messages": [{"role": "user", "content": "a"}])" + (fields.empty() ? "" : ", " + fields) + "}";
}

TEST(RenderChat, VariablesOfTheTemplate) {
  struct Row {
    std::string source, fields, expected;
  };
  std::string const tools = R"("tools": [{"function": {"name": "f"}}])";
  std::vector<Row> const table{
      {kChatMl, "", "<user>a<end><assistant>"},
      {kChatMl, R"("add_generation_prompt": false)", "<user>a<end>"},
      {kChatMl, tools, "<user>a<end>[1]<assistant>"},
      {kChatMl, tools + R"(, "tool_choice": "none")", "<user>a<end>[1]<assistant>"},
      {"{{ bos_token }}{{ x }}", R"("chat_template_kwargs": {"x": 1, "bos_token": "B"})", "B1"},
      {"{{ bos_token }}{{ x }}", R"("chat_template_kwargs": {"x": null, "y": 2})", "<s>"},
      {"{{ x }}", R"("chat_template_kwargs": {"x": "auto"})", ""},
      {"{{ enable_thinking }} {{ reasoning_effort }}", R"("reasoning_effort": "low")", "True low"},
      {"{{ enable_thinking }}", R"("reasoning_effort": "none")", "False"},
      {"{{ enable_thinking }}", R"("reasoning_effort": "none", "chat_template_kwargs": {"enable_thinking": 5})", "5"},
      {"{{ documents }} {{ tools }}", "", "None None"},
      {"{{ documents[0].t }}", R"("documents": [{"t": "d"}])", "d"},
      {"{{ padding }}{{ messages | length }}", R"("chat_template_kwargs": {"padding": true})", "1"},
      {kChatMl, R"("chat_template_kwargs": {"conversation": 1})", "refused chat_template_kwargs sets conversation"},
      {kChatMl, R"("chat_template_kwargs": {"messages": 1})", "refused chat_template_kwargs sets messages"},
      {kChatMl, R"("chat_template_kwargs": {"tools": [1]})", "refused tools must be a list of objects"},
      {"{{ raise_exception('no ' ~ messages[0].role) }}", "", "refused no user"},
      {"{{ x.y }}", "", "refused 'x' is undefined"},
      {"{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}", "", "unknown: chat_template"},
  };
  for (Row const& row : table) {
    EXPECT_EQ(rendered(templates(row.source), ask(row.fields)), row.expected) << row.source << " " << row.fields;
  }
}

TEST(RenderChat, ChoosesTheTemplate) {
  auto const two = templates("plain", "with tools");
  EXPECT_EQ(rendered(two, ask("")), "plain");
  EXPECT_EQ(rendered(two, ask(R"("tools": [{"function": {"name": "f"}}])")), "with tools");
  EXPECT_EQ(rendered(ChatTemplates(), ask("")), "unknown: no_template");
}

TEST(RenderChat, DefaultsOfTheEngine) {
  auto model = templates("{{ x }}{{ y }}{{ tools is none }}");
  model.default_kwargs = R"({"x": 1, "y": 2})";
  model.hide_unused_tools = true;
  EXPECT_EQ(rendered(model, ask(R"("chat_template_kwargs": {"y": 3})")), "13True");
  std::string const tools = R"("tools": [{"function": {"name": "f"}}])";
  EXPECT_EQ(rendered(model, ask(tools)), "12False");
  EXPECT_EQ(rendered(model, ask(tools + R"(, "tool_choice": "none")")), "12True");
}

TEST(RenderChat, ContinuesTheFinalMessage) {
  auto const said = [](std::string const& source, std::string const& content) {
    return rendered(templates(source), R"({"continue_final_message": true, "add_generation_prompt": false,
                                           "messages": [{"role": "assistant", "content": )" +
                                           content + "}]}");
  };
  EXPECT_EQ(said(kChatMl, R"("Sure, ")"), "<assistant>Sure, ");
  EXPECT_EQ(said("{% for m in messages %}{{ m.content | trim }}!{% endfor %}", R"("Sure, ")"), "Sure,");
  EXPECT_EQ(said(kParts, R"([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])"), "<assistant>ab");
  EXPECT_EQ(said(kParts, "[]").substr(0, 7), "refused");
  EXPECT_EQ(said("{{ 'content' }}", R"("a")").substr(0, 7), "refused");    // does not write the message
  EXPECT_EQ(said("{{ messages[0] }}", R"("a")").substr(0, 7), "refused");  // does not name the field
  EXPECT_EQ(rendered(templates(kChatMl), ask(R"("continue_final_message": true)")).substr(0, 7), "refused");
}

TEST(RenderChat, EndsWhereTheFirstImageBegins) {
  std::string const image = R"({"type": "image_url", "image_url": {"url": "x"}})";
  std::string const body = R"({"messages": [{"role": "user", "content": "a"}, {"role": "user", "content":
                               [{"type": "text", "text": "b"}, )" +
                           image + R"(, {"type": "text", "text": "c"}]}]})";
  EXPECT_EQ(rendered(templates(kChatMl), body), "<user>a<end><user>");  // where it would stand, the engine decides
  EXPECT_EQ(rendered(templates(kParts), body), "<user>a<end><user>b");
  // A template that speaks of images before the first one is believed, not the rendering without.
  std::string const early =
      "{% for m in messages %}{% for p in m.content %}{% if p.type == 'image' %}has image {% endif %}"
      "{% endfor %}{% endfor %}";
  EXPECT_EQ(rendered(templates(early + kParts), body), "");
}

TEST(RenderChat, ExplainsItsInput) {
  test::Texts texts;
  auto const request = read_chat_request(texts.parsed(ask("")), texts.arena);
  ASSERT_TRUE(request);
  EXPECT_EQ(shown(explain_input(*request, templates(kChatMl), texts.arena)),
            R"({"bos_token": "<s>", "add_generation_prompt": true, "messages": [{"role": "user", "content": "a"}], )"
            R"("tools": null, "documents": null})");
}

}  // namespace
}  // namespace kvgate::text
