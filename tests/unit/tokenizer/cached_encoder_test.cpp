#include "text/tokenizer/cached_encoder.hpp"

#include <gtest/gtest.h>

#include <random>

#include "unit/tokenizer/json.hpp"

namespace kvgate::text {
namespace {

using Ids = std::vector<std::uint32_t>;

std::shared_ptr<Tokenizer const> made(std::string const& pre_tokenizer) {
  test::File const file{
      .pre_tokenizer = pre_tokenizer,
      .added_tokens = "[" + test::added("<s>", "special") + "," + test::added("<t>", "special rstrip") + "]",
      .model = R"({"type":"WordLevel","vocab":{"?":0,"a":1,"_a":2,"b":3,"_b":4,"ab":5,"_ab":6},"unk_token":"?"})"};
  auto result = Tokenizer::make(file.spec());
  EXPECT_TRUE(result.has_value());
  return *result;
}

constexpr char const* kMetaspace = R"({"type":"Metaspace","replacement":"_","prepend_scheme":"first","split":true})";

/// Turns of a conversation: each begins with the one before.
std::vector<std::string> conversation(std::mt19937& random) {
  constexpr char const* pieces[] = {"a ", "b", "ab ", " ", "<s>", "<t> ", "xyz ", "\xc3\xa9 "};
  std::vector<std::string> turns;
  std::string text;
  for (int turn = 0; turn < 6; ++turn) {
    for (auto n = random() % 90; n > 0; --n) text += pieces[random() % std::size(pieces)];
    turns.push_back(text);
  }
  return turns;
}

TEST(CachedEncoder, GivesTheIdsOfTheTokenizer) {
  std::mt19937 random(1);
  for (auto const* pre_tokenizer : {"null", R"({"type":"WhitespaceSplit"})", kMetaspace}) {
    auto const tokenizer = made(pre_tokenizer);
    CachedEncoder const encoder(tokenizer);
    SegmentCache cache(1 << 20);
    TokenizerScratch scratch;
    Ids expected, got;
    for (int i = 0; i < 200; ++i) {
      for (auto const& text : conversation(random)) {
        for (bool const special : {false, true}) {
          ASSERT_TRUE(tokenizer->encode(text, {.add_special_tokens = special}, scratch, expected));
          ASSERT_TRUE(encoder.encode(text, {.add_special_tokens = special}, cache, scratch, got));
          ASSERT_EQ(got, expected) << text;
        }
      }
    }
    EXPECT_GT(cache.stats().hits, 0u);
  }
}

TEST(CachedEncoder, EncodesOnlyWhatIsNew) {
  CachedEncoder const encoder(made("null"));
  SegmentCache cache(1 << 20);
  TokenizerScratch scratch;
  Ids ids;
  std::string text;
  for (int turn = 0; turn < 10; ++turn) {
    text += std::string(200, 'a') + std::to_string(turn) + "<s>";
    ASSERT_TRUE(encoder.encode(text + "b", {.add_special_tokens = false}, cache, scratch, ids));
  }
  EXPECT_EQ(cache.stats().misses, 10u);
  EXPECT_EQ(cache.stats().missed_bytes, text.size());
}

TEST(CachedEncoder, SharesNothingBetweenTokenizers) {
  CachedEncoder const one(made("null")), other(made(R"({"type":"WhitespaceSplit"})"));
  SegmentCache cache(1 << 20);
  TokenizerScratch scratch;
  Ids first, second;
  std::string text;
  for (int i = 0; i < 100; ++i) text += "a ";
  text += "<s>a";
  ASSERT_TRUE(one.encode(text, {.add_special_tokens = false}, cache, scratch, first));
  ASSERT_TRUE(other.encode(text, {.add_special_tokens = false}, cache, scratch, second));
  EXPECT_NE(first, second);
}

TEST(CachedEncoder, RefusesWhatTheTokenizerRefuses) {
  CachedEncoder const encoder(made("null"));
  SegmentCache cache(1 << 20);
  TokenizerScratch scratch;
  Ids ids;
  EXPECT_FALSE(encoder.encode("a\xff<s>a", {.add_special_tokens = false}, cache, scratch, ids));
  EXPECT_FALSE(encoder.encode("a<s>a\xff", {.add_special_tokens = false}, cache, scratch, ids));
}

}  // namespace
}  // namespace kvgate::text
