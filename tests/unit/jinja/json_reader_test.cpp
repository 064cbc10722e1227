#include "text/jinja/json_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "text/jinja/big_int.hpp"
#include "text/jinja/dict.hpp"

namespace kvgate::jinja {
namespace {

TEST(JsonReader, KeepsOrderAndLetsTheLastValueWin) {
  Arena arena;
  auto const value = parse_json(R"({"b": 1, "a": [true, null, "x\n\ud83d\udc40"], "b": 2.50})", arena);
  ASSERT_TRUE(value.has_value());
  auto const entries = value->dict().entries();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].key.text(), "b");
  EXPECT_EQ(entries[0].value.floating(), 2.5);
  auto const items = value->get("a").items();
  ASSERT_EQ(items.size(), 3u);
  EXPECT_TRUE(items[0].boolean());
  EXPECT_TRUE(items[1].is_none());
  EXPECT_EQ(items[2].text(), "x\n\xf0\x9f\x91\x80");
}

TEST(JsonReader, IntegersAreExact) {
  Arena arena;
  EXPECT_EQ(parse_json("-9223372036854775808", arena)->int64(), INT64_MIN);
  EXPECT_EQ(parse_json("-0", arena)->int64(), 0);
  auto const big = parse_json("-123456789012345678901234567890", arena);
  ASSERT_TRUE(big->is(Kind::big_integer));
  EXPECT_EQ(to_decimal(big->big()), "-123456789012345678901234567890");
  EXPECT_FALSE(parse_json(std::string(4301, '1'), arena).has_value());
}

TEST(JsonReader, FloatsOutOfRangeGoToTheEnds) {
  Arena arena;
  EXPECT_TRUE(std::isinf(parse_json("-1e400", arena)->floating()));
  EXPECT_EQ(parse_json("1e-400", arena)->floating(), 0.0);
  EXPECT_TRUE(std::isnan(parse_json("NaN", arena)->floating()));
}

TEST(JsonReader, ManyKeysAreFoundAgain) {
  std::string text = "{";
  for (int i = 0; i < 5000; ++i) text += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":" + std::to_string(i);
  text += "}";
  Arena arena;
  auto const value = parse_json(text, arena);
  ASSERT_TRUE(value.has_value());
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(value->get("k" + std::to_string(i)).int64(), i);
  EXPECT_TRUE(value->get("k5000").is_undefined());
}

TEST(JsonReader, RefusesWhatIsNotJson) {
  char const* const broken[] = {
      "",        "{",   "[1,]",    "{\"a\":1,}", "{a:1}",       "01",          "1.",
      "+1",      "\"a", "\"\\x\"", "\"\n\"",     "\"\\ud83d\"", "\"\\udc00\"", "\"\xff\"",
      "[1] [2]", "nul", "1e",      "-",          "[1 2]",       "\"\\u12\"",   "\"\xed\xa0\x80\""};
  for (char const* text : broken) {
    Arena arena;
    EXPECT_FALSE(parse_json(text, arena).has_value()) << text;
  }
  Arena arena;
  EXPECT_FALSE(parse_json(std::string(300, '[') + std::string(300, ']'), arena).has_value());
}

TEST(JsonReader, StopsAtTheLimitOfItsArena) {
  Arena arena(1000);
  EXPECT_FALSE(parse_json("[" + std::string(5000, '1') + "]", arena).has_value());
  std::string many = "[1";
  for (int i = 0; i < 1000; ++i) many += ",1";
  EXPECT_FALSE(parse_json(many + "]", arena).has_value());
}

}  // namespace
}  // namespace kvgate::jinja
