#include "text/chat/conversation.hpp"

#include <gtest/gtest.h>

#include "text/chat/chat_request.hpp"
#include "unit/chat/shown.hpp"

namespace kvgate::text {
namespace {

using jinja::ContentFormat;
using test::shown;

/// The conversation of a list of messages.
std::string made(std::string const& messages, ContentFormat format, std::string_view marker = {}) {
  test::Texts texts;
  auto const read = read_messages(texts.parsed(messages), texts.arena);
  if (!read) return shown(read.error());
  Media media{{}, marker};
  return shown(conversation(*read, format, media, texts.arena));
}

/// One message with this content.
std::string message(std::string const& role, std::string const& content) {
  return R"([{"role": ")" + role + R"(", "content": )" + content + "}]";
}

std::string text_part(std::string const& text) {
  return R"({"type": "text", "text": ")" + text + "\"}";
}

struct Case {
  std::string messages, as_text, as_parts;
};

TEST(Conversation, ContentByFormat) {
  std::string const parts = R"({"type": "text", "text": "a", "cache_control": 1}, {"type": "text", "text": ""})";
  std::string const two = "[" + text_part("a") + ", " + text_part("b") + "]";
  std::string const reference = R"([{"type": "tool_reference", "name": "f"}])";
  std::vector<Case> const table{
      {message("user", R"("a")"), message("user", R"("a")"), message("user", "[" + text_part("a") + "]")},
      {message("assistant", "null"), message("assistant", R"("")"), message("assistant", "[]")},
      {message("user", "[" + parts + R"(, {"type": "refusal", "refusal": "b"}])"), message("user", R"("a\nb")"),
       message("user", "[" + parts + ", " + text_part("b") + "]")},
      {message("tool", two), message("tool", R"("a\nb")"), message("tool", R"("a\nb")")},
      {message("tool", reference), message("tool", R"("f")"), message("tool", reference)},
      {message("user", R"([{"type": "text"}])"), "refused", "refused"},
      {message("critic", R"([{"type": "file"}])"), "refused", "refused"},
      {message("critic", "[{}]"), "refused", "refused"},
      {message("user", R"([{"type": "prompt_embeds", "data": "x"}])"), "unknown: prompt_embeds",
       "unknown: prompt_embeds"},
  };
  for (Case const& c : table) {
    EXPECT_EQ(made(c.messages, ContentFormat::string), c.as_text) << c.messages;
    EXPECT_EQ(made(c.messages, ContentFormat::openai), c.as_parts) << c.messages;
  }
}

TEST(Conversation, FieldsOfMessages) {
  struct Row {
    std::string message, expected;
  };
  std::string const call =
      R"({"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": )";
  std::string const before =
      R"({"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": {"arguments": )";
  std::string const after = R"(, "name": "f"}, "type": "function"}]})";
  std::vector<Row> const table{
      {R"({"role": "user", "content": "a", "name": "n", "task": "t", "foo": 1})",
       R"({"role": "user", "content": "a", "name": "n", "task": "t"})"},
      {R"({"role": "assistant", "content": "a", "reasoning": "r"})",
       R"({"role": "assistant", "content": "a", "reasoning": "r", "reasoning_content": "r"})"},
      {R"({"role": "assistant", "tool_calls": []})", R"({"role": "assistant", "content": ""})"},
      {call + R"("{\"b\": 1.0, \"a\": []}"}}]})", before + R"({"b": 1.0, "a": []})" + after},
      {call + R"("{oops"}}]})", before + "{}" + after},
      {call + R"("[1]"}}]})", before + "{}" + after},
      {call + R"(""}}]})", before + "{}" + after},
      {R"({"role": "assistant", "tool_calls": [{"id": "1", "type": "custom", "custom": {"name": "n", "input": "i"}}]})",
       "refused"},
      {R"({"role": "developer", "content": "a"})", R"({"role": "developer", "content": "a", "tools": null})"},
      {R"({"role": "system", "content": "x-anthropic-billing-header: 1\nrest"})",
       R"({"role": "system", "content": "rest"})"},
      {R"({"role": "system", "content": [{"type": "text", "text": "x-anthropic-billing-header: 1"}, )" +
           text_part("b") + "]}",
       R"({"role": "system", "content": "b"})"},
      {R"({"role": "user", "content": "x-anthropic-billing-header: 1"})",
       R"({"role": "user", "content": "x-anthropic-billing-header: 1"})"},
  };
  for (Row const& row : table) {
    bool const fails = row.expected == "refused";
    EXPECT_EQ(made("[" + row.message + "]", ContentFormat::string), fails ? row.expected : "[" + row.expected + "]")
        << row.message;
  }
}

TEST(Conversation, MarksTheFirstMedium) {
  std::string const image = R"({"type": "image_url", "image_url": {"url": "http://x/1"}})";
  std::string const messages = message("user", "[" + text_part("a") + ", " + image + ", " + image + "]");
  std::string const rest = R"({"type": "image"}])";
  EXPECT_EQ(made(messages, ContentFormat::string), message("user", R"("a")"));
  EXPECT_EQ(made(messages, ContentFormat::string, "M"), message("user", R"("M")"));
  EXPECT_EQ(made(messages, ContentFormat::openai),
            message("user", "[" + text_part("a") + R"(, {"type": "image"}, )" + rest));
  EXPECT_EQ(made(messages, ContentFormat::openai, "M"),
            message("user", "[" + text_part("a") + ", " + text_part("M") + ", " + rest));
}

TEST(Conversation, HashesMedia) {
  auto const hash_of = [](std::string const& url) {
    test::Texts texts;
    std::string const part = R"([{"type": "image_url", "image_url": {"url": ")" + url + "\"}}]";
    auto const read = read_messages(texts.parsed(message("user", part)), texts.arena);
    Media media;
    EXPECT_TRUE(read && conversation(*read, ContentFormat::string, media, texts.arena)) << part;
    return media.hashes.at(0);
  };
  EXPECT_EQ(hash_of("http://x/1"), hash_of("http://x/1"));
  EXPECT_NE(hash_of("http://x/1"), hash_of("http://x/2"));
}

TEST(DeveloperRole, BecomesSystemAtTheFront) {
  struct Row {
    std::string conversation, source, expected;
  };
  std::string const two = R"([{"role": "user", "content": "u"}, {"role": "developer", "tools": null, "content": [)" +
                          text_part("a") + ", " + text_part("b") + R"(]}, {"role": "system", "content": "s"}])";
  std::string const one = R"([{"role": "developer", "content": "a", "tools": null}, {"role": "user", "content": "u"}])";
  std::string const systems = R"([{"role": "system", "content": "a"}, {"role": "system", "content": "b"}])";
  std::vector<Row> const table{
      {two, "{{ messages }}", R"([{"role": "system", "content": "a\nb\n\ns"}, {"role": "user", "content": "u"}])"},
      {one, "{{ messages }}", R"([{"role": "system", "content": "a"}, {"role": "user", "content": "u"}])"},
      {one, "{{ 'developer' }}", one},
      {systems, "x", systems},
  };
  for (Row const& row : table) {
    test::Texts texts;
    EXPECT_EQ(shown(for_developer_role(texts.parsed(row.conversation), row.source, texts.arena)), row.expected);
  }
}

}  // namespace
}  // namespace kvgate::text
