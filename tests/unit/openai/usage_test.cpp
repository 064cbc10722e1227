#include "openai/usage.hpp"

#include <gtest/gtest.h>

#include "unit/openai/recorded.hpp"

namespace kvgate::openai {
namespace {

Usage usage_of(std::string_view text) {
  UsageScanner scanner;
  scanner.feed(text);
  return scanner.usage();
}

TEST(UsageScanner, UsageOfEachApi) {
  struct {
    char const* text;
    Usage expected;
  } const cases[] = {
      {R"({"usage":{"prompt_tokens":34,"total_tokens":42,"completion_tokens":8,)"
       R"("prompt_tokens_details":{"cached_tokens":32,"created_cache_tokens":0}},"x":null})",
       {34, 32, 8}},
      {R"({"usage": { "prompt_tokens" : 3 , "prompt_tokens_details" : null}})", {3, {}, {}}},
      {R"({"usage":{"input_tokens":7,"input_tokens_details":{"cached_tokens":4},"output_tokens":2,)"
       R"("output_tokens_details":{"reasoning_tokens":1}}})",
       {7, 4, 2}},
      {R"({"usage":{"input_tokens":16,"output_tokens":4,"cache_creation_input_tokens":9,"cache_read_input_tokens":3}})",
       {16, 3, 4}},
      {"data: {\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}\n\ndata: {\"usage\":{\"prompt_tokens\":1,"
       "\"completion_tokens\":2}}\n\ndata: {\"usage\":null}\n\ndata: [DONE]\n\n",
       {1, {}, 2}},
      {R"({"text":"\"usage\":{\"prompt_tokens\":9}"})", {}},
      {R"({"usage":{"prompt_tokens":5},"text":"say \"usage\":{\"prompt_tokens\":9} }"})", {5, {}, {}}},
      {R"({"usage":{"prompt_tokens":5},"schema":{"usage":{"type":"object"}}})", {5, {}, {}}},
      {R"({"usage":{"prompt_tokens":5},"a":"usage","b":{"usage":7}})", {5, {}, {}}},
      {R"({"usage":{"prompt_tokens":5,)", {}},
      {R"({"usage":{"note":"}","prompt_tokens":5}})", {5, {}, {}}},
      {R"({"usage":{"prompt_tokens":-5,"completion_tokens":"x"}})", {}},
      {R"({"usage":{"prompt_tokens":99999999999999999999,"completion_tokens":1}})", {{}, {}, 1}},
      {"\"usage\"", {}},
      {"", {}},
  };
  for (auto const& c : cases) EXPECT_EQ(usage_of(c.text), c.expected) << c.text;
}

TEST(UsageScanner, OnlyTheTailIsKept) {
  std::string const usage = R"("usage":{"prompt_tokens":5})";
  EXPECT_EQ(usage_of(std::string(100'000, ' ') + usage + std::string(8192 - usage.size(), ' ')).prompt, 5u);
  EXPECT_EQ(usage_of(std::string(100'000, ' ') + usage + std::string(8192 - usage.size() + 1, ' ')).prompt,
            std::nullopt);
}

TEST(UsageScanner, LastOfMany) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += R"({"usage":{"prompt_tokens":)" + std::to_string(i) + "}}";
  EXPECT_EQ(usage_of(text).prompt, 199u);
  EXPECT_EQ(usage_of(text + R"({"usage":null,"usage":7,"usage":{}})").prompt, 199u);
  std::string nested;
  while (nested.size() < 8000) nested += R"("usage":{)";
  EXPECT_EQ(usage_of(nested), Usage{});
}

TEST(UsageScanner, EventsAndBoundaries) {
  struct {
    char const* text;
    std::uint64_t events;
    bool boundary;
    bool done;
  } const cases[] = {
      {"", 0, true, false},
      {"data: a\n\n", 1, true, false},
      {"data: a\r\n\r\ndata:b\r\n\r\n", 2, true, false},
      {"data: a\n", 0, false, false},
      {"data: a\n\nd", 1, false, false},
      {"data: a\r\n\r", 0, false, false},
      {"data: a\n\n: ping\n", 1, false, false},
      {": ping\n\n", 0, true, false},
      {"event: ping\n\n", 0, true, false},
      {"\n\n\n", 0, true, false},
      {"event: x\ndata: a\ndata: b\n\n", 1, true, false},
      {"data: a\n\ndata: [DONE]\n\n", 1, true, true},
      {"data: [DONE]\r\n\r\n", 0, true, true},
      {"data:[DONE]\n\n", 0, true, true},
      {"data: [DONE] not\n\n", 1, true, false},
      {"data: [DONEnot, and long]\n\n", 1, true, false},
      {"{\"a\":1}", 0, false, false},
  };
  std::mt19937 random(1);
  for (auto const& c : cases) {
    for (int round = 0; round < 20; ++round) {
      UsageScanner scanner;
      test::in_pieces(c.text, 4, random, [&](std::string_view piece) { scanner.feed(piece); });
      ASSERT_EQ(scanner.events(), c.events) << c.text;
      ASSERT_EQ(scanner.at_event_boundary(), c.boundary) << c.text;
      ASSERT_EQ(scanner.done(), c.done) << c.text;
    }
  }
}

TEST(UsageScanner, ResetForgets) {
  UsageScanner scanner;
  scanner.feed("data: {\"usage\":{\"prompt_tokens\":5}}\n\ndata: [DONE]\n\ndata: x");
  scanner.reset();
  EXPECT_EQ(scanner.usage(), Usage{});
  EXPECT_EQ(scanner.events(), 0u);
  EXPECT_FALSE(scanner.done());
  EXPECT_TRUE(scanner.at_event_boundary());
  scanner.feed("\n\n");
  EXPECT_EQ(scanner.events(), 0u);
}

TEST(UsageScanner, RecordedResponsesInPieces) {
  KVGATE_NEEDS_RECORDED();
  struct {
    char const* file;
    Usage usage;
    std::uint64_t events;
    bool done;
  } const cases[] = {
      {"chat.resp", {34, 0, 8}, 0, false},
      {"batch_chat.resp", {68, {}, 4}, 0, false},
      {"completions_tokens.resp", {4, 0, 2}, 0, false},
      {"messages.resp", {26, 0, 4}, 0, false},
      {"pooling/rerank.resp", {4, {}, {}}, 0, false},
      {"chat_stream.resp", {}, 6, true},
      {"chat_stream_usage_continuous.resp", {34, 32, 4}, 5, true},
      {"messages_stream.resp", {16, 0, 4}, 9, false},
  };
  std::mt19937 random(2);
  for (auto const& c : cases) {
    auto const body = test::recorded_body(c.file);
    for (std::size_t const longest : {1u, 7u, 100u, 3000u}) {
      UsageScanner scanner;
      test::in_pieces(body, longest, random, [&](std::string_view piece) { scanner.feed(piece); });
      EXPECT_EQ(scanner.usage(), c.usage) << c.file;
      EXPECT_EQ(scanner.events(), c.events) << c.file;
      EXPECT_EQ(scanner.done(), c.done) << c.file;
      EXPECT_EQ(scanner.at_event_boundary(), c.events > 0) << c.file;
    }
  }
}

TEST(UsageScanner, PromptOfTheFirstUsageWhereTheLastHasNone) {
  std::string const start = R"(data: {"usage":{"input_tokens":11,"cache_read_input_tokens":4,"output_tokens":1}})" "\n\n";
  struct {
    std::string end;
    Usage expected;
  } const cases[] = {
      {R"({"usage":{"output_tokens":7}})", {11, 4, 7}},
      {R"({"usage":{"input_tokens":0,"cache_read_input_tokens":0,"output_tokens":7}})", {11, 4, 7}},
      {R"({"usage":{"input_tokens":12,"output_tokens":7}})", {12, {}, 7}},
      {R"({"x":1})", {}},
  };
  std::mt19937 random(3);
  for (auto const& c : cases) {
    auto const text = start + "data: " + std::string(20'000, 'x') + "\n\ndata: " + c.end + "\n\n";
    for (std::size_t const longest : {3u, 500u, 30'000u}) {
      UsageScanner scanner;
      test::in_pieces(text, longest, random, [&](std::string_view piece) { scanner.feed(piece); });
      EXPECT_EQ(scanner.usage(), c.expected) << c.end;
    }
  }
}

TEST(UsageScanner, ResponsesApiRecorded) {
  KVGATE_NEEDS_RECORDED();
  for (auto const* file : {"responses.resp", "responses_stream.resp"}) {
    auto const usage = usage_of(test::recorded_body(file));
    EXPECT_TRUE(usage.prompt && usage.completion && usage.cached) << file;
    EXPECT_EQ(usage.completion, 4u) << file;
  }
}

}  // namespace
}  // namespace kvgate::openai
