// How prompts become blocks: what is shared, what is counted.
#include "prefix/prompt_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "unit/openai/recorded.hpp"
#include "unit/prefix/prompts.hpp"

namespace kvgate::prefix {
namespace {

using openai::ApiKind;

std::size_t shared(PromptBlocks const& a, PromptBlocks const& b) {
  auto const length = std::min(a.hashes.size(), b.hashes.size());
  auto const end = a.hashes.begin() + static_cast<std::ptrdiff_t>(length);
  return static_cast<std::size_t>(std::mismatch(a.hashes.begin(), end, b.hashes.begin()).first - a.hashes.begin());
}

std::string words(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < size) text += static_cast<char>('a' + random() % 26);
  return text;
}

struct Growing {
  ApiKind api;
  std::string head, tail;
  std::vector<std::string> turns;  // joined by commas
};

TEST(PromptBlocks, AGrowingChatKeepsItsBeginning) {
  auto const text = [](unsigned seed) { return words(150, seed); };
  Growing const cases[] = {
      {ApiKind::chat,
       R"({"model":"m","tools":[{"name":"f"}],"messages":[)",
       R"(],"max_tokens":)",
       {R"({"role":"system","content":")" + text(1) + "\"}", R"({"role":"user","content":")" + text(2) + "\"}",
        R"({"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":")" + text(3) +
            "\"}}]}",
        R"({"role":"tool","tool_call_id":"c","content":[{"type":"text","text":")" + text(4) + "\"}]}",
        R"({"role":"user","content":[{"type":"image_url","image_url":{"url":"data:x"}},{"type":"text","text":"a"}]})"}},
      {ApiKind::messages,
       R"({"system":"s","messages":[)",
       R"(],"temperature":)",
       {R"({"role":"user","content":")" + text(5) + "\"}",
        R"({"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"a":")" + text(6) + "\"}}]}",
        R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":")" + text(7) + "\"}]}"}},
      {ApiKind::responses,
       R"({"instructions":"s","input":[)",
       R"(],"top_p":)",
       {R"({"role":"user","content":[{"type":"input_text","text":")" + text(8) + "\"}]}",
        R"({"type":"function_call","call_id":"c","name":"f","arguments":")" + text(9) + "\"}",
        R"({"type":"function_call_output","call_id":"c","output":")" + text(10) + "\"}"}},
      {ApiKind::completions,
       R"({"prompt":[)",
       R"(],"seed":)",
       {"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18", "100000,20,30", "7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7"}},
  };
  for (auto const& c : cases) {
    auto messages = c.turns.front();
    std::string before;
    PromptBlocks blocks;
    for (std::size_t turn = 1; turn < c.turns.size(); ++turn) {
      auto const body = c.head + messages + c.tail + std::to_string(turn) + "}";
      auto const now = test::text_of(c.api, body);
      EXPECT_TRUE(now.starts_with(before)) << body;
      EXPECT_GT(now.size(), before.size()) << body;
      auto const next = test::blocks_of(c.api, body);
      EXPECT_EQ(shared(blocks, next), blocks.hashes.size()) << body;
      blocks = next;
      before = now;
      messages += "," + c.turns[turn];
    }
  }
}

TEST(PromptBlocks, AreSharedUpToTheFirstDifference) {
  auto const base = words(64 * 100, 1);
  auto const body = [](std::string const& prompt) { return R"({"prompt":")" + prompt + "\"}"; };
  auto const one = test::blocks_of(ApiKind::completions, body(base));
  ASSERT_EQ(one.hashes.size(), 100u);
  EXPECT_EQ(one.text_bytes, 64 * 100 + 2u) << "the mark of a text is two bytes";
  for (std::size_t at : {0u, 1u, 61u, 62u, 63u, 64u, 1000u, 5000u, 6335u}) {
    auto other = base;
    other[at] = '#';
    auto const blocks = test::blocks_of(ApiKind::completions, body(other));
    EXPECT_EQ(shared(one, blocks), (at + 2) / 64) << at;
    for (auto i = (at + 2) / 64; i < 100; ++i) EXPECT_NE(one.hashes[i], blocks.hashes[i]) << at << " " << i;
  }
}

TEST(PromptBlocks, AreTheSameHoweverTheTextIsWritten) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::string plain, escaped;
    for (auto n = random() % 3000; n > 0; --n) {
      auto const c = static_cast<char>(' ' + random() % 95);
      char unicode[8];
      std::snprintf(unicode, sizeof unicode, "\\u%04X", static_cast<unsigned>(c));
      auto const must = c == '"' || c == '\\';
      plain += must ? std::string("\\") + c : std::string(1, c);
      escaped += random() % 40 == 0 ? std::string(unicode) : must ? std::string("\\") + c : std::string(1, c);
    }
    for (std::string const form : {R"({"prompt":"%"})", R"({"messages":[{"role":"user","content":"%"}]})",
                                   R"({"tools":[{"d":"%"}],"messages":[]})"}) {
      auto const at = form.find('%');
      auto const with = [&](std::string const& text) { return form.substr(0, at) + text + form.substr(at + 1); };
      auto const one = test::blocks_of(ApiKind::chat, with(plain));
      auto const other = test::blocks_of(ApiKind::chat, with(escaped));
      ASSERT_EQ(one.hashes, other.hashes) << with(escaped);
      ASSERT_EQ(one.text_bytes, other.text_bytes);
    }
  }
}

TEST(PromptBlocks, CountWhatTheyDoNotHold) {
  std::string body = R"({"messages":[{"role":"user","content":")";
  body.append(5u << 20, 'x');
  auto const large = test::blocks_of(ApiKind::chat, body + "\"}]}");
  EXPECT_EQ(large.hashes.size(), kMaxBlocks);
  EXPECT_GT(large.text_bytes, 5u << 20);
  EXPECT_LT(large.text_bytes, (5u << 20) + 100);

  auto const tokens = test::blocks_of(ApiKind::generate, R"({"token_ids":[1,2,123456]})");
  EXPECT_EQ(tokens.text_bytes, 14u);
  EXPECT_EQ(test::blocks_of(ApiKind::chat, "{}").text_bytes, 0u);
}

TEST(PromptBlocks, MediaCountTheSameWhateverTheirSize) {
  auto const body = [](std::string const& url) {
    return R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":")" + url + "\"}}]}]}";
  };
  auto const small = test::blocks_of(ApiKind::chat, body("http://x/a.png"));
  auto const large = test::blocks_of(ApiKind::chat, body("data:image/png;base64," + words(300'000, 1)));
  EXPECT_EQ(small.text_bytes, large.text_bytes);
  EXPECT_GE(small.text_bytes, kMediaBytes);
  EXPECT_LT(small.text_bytes, kMediaBytes + 64);
  EXPECT_EQ(shared(small, large), 0u);
  EXPECT_EQ(large.hashes, test::blocks_of(ApiKind::chat, body("data:image\\/png;base64," + words(300'000, 1))).hashes);
}

TEST(PromptBlocks, AreReusedWithoutAllocation) {
  test::Parsed const parsed(ApiKind::completions, R"({"prompt":")" + words(100'000, 1) + "\"}");
  PromptBlocks blocks;
  hash_prompt(parsed.view(), 1, blocks);
  auto const* const data = blocks.hashes.data();
  auto const hashes = blocks.hashes;
  for (int i = 0; i < 3; ++i) hash_prompt(parsed.view(), 1, blocks);
  EXPECT_EQ(blocks.hashes.data(), data);
  EXPECT_EQ(blocks.hashes, hashes);
}

/// Replicas of different builds must agree: these values never change.
TEST(PromptBlocks, KnownValues) {
  auto const body =
      R"({"model":"m","messages":[{"role":"user","content":"The quick brown fox jumps over the lazy dog. )"
      R"(The quick brown fox jumps over the lazy dog."}]})";
  test::Parsed const parsed(ApiKind::chat, body);
  PromptBlocks blocks;
  hash_prompt(parsed.view(), prompt_seed("m", ""), blocks);
  ASSERT_EQ(blocks.hashes.size(), 1u);
  EXPECT_EQ(prompt_seed("m", ""), 9421099571639956417u);
  EXPECT_EQ(blocks.hashes[0], 9674675904928224004u);
  EXPECT_EQ(prompt_simhash(parsed.view()), 6676743739101408548u);
}

TEST(PromptBlocks, EveryRecordedRequestWithAPrompt) {
  KVGATE_NEEDS_RECORDED();
  struct {
    char const* file;
    ApiKind api;
    char const* holds;
  } const cases[] = {
      {"chat.req", ApiKind::chat, "Say something about licenses."},
      {"chat_tools.req", ApiKind::chat, R"("name":"f","parameters":{"type":"object")"},
      {"batch_chat.req", ApiKind::batch_chat, "You are terse."},
      {"completions.req", ApiKind::completions, "This program is free"},
      {"completions_multi.req", ApiKind::completions, "c d"},
      {"messages.req", ApiKind::messages, "be terse"},
      {"responses.req", ApiKind::responses, "Say hi"},
      {"embeddings.req", ApiKind::embeddings, "hello"},
      {"pooling/embeddings_chat.req", ApiKind::embeddings, "hi"},
      {"pooling/rerank.req", ApiKind::rerank, "c d"},
      {"pooling/score.req", ApiKind::score, "c"},
      {"pooling/v1_score.req", ApiKind::score, "b"},
      {"pooling/v2_embed.req", ApiKind::embeddings, "a"},
      {"tokenize_chat.req", ApiKind::tokenize, "You are terse."},
  };
  for (auto const& c : cases) {
    auto const text = test::text_of(c.api, kvgate::test::recorded_body(c.file));
    EXPECT_NE(text.find(c.holds), std::string::npos) << c.file;
  }
}

TEST(TokenBlocks, AreChainedBlocksOfSixteenTokens) {
  std::vector<std::uint32_t> ids(40);
  std::iota(ids.begin(), ids.end(), 7u);
  PromptBlocks whole, start, other, salted;
  hash_tokens(ids, prompt_seed("m", ""), whole);
  hash_tokens(std::span(ids).first(16), prompt_seed("m", ""), start);
  hash_tokens(ids, prompt_seed("m", "salt"), salted);
  ids[17] += 1;
  hash_tokens(ids, prompt_seed("m", ""), other);
  ASSERT_EQ(whole.hashes.size(), 2u);
  EXPECT_EQ(whole.text_bytes, 40 * kBytesPerToken);
  EXPECT_EQ(start.hashes, std::vector(1, whole.hashes[0]));
  EXPECT_EQ(other.hashes[0], whole.hashes[0]);
  EXPECT_NE(other.hashes[1], whole.hashes[1]);
  EXPECT_NE(salted.hashes[0], whole.hashes[0]);
}

}  // namespace
}  // namespace kvgate::prefix
