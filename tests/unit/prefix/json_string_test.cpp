#include "prefix/json_string.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "unit/prefix/prompts.hpp"

namespace kvgate::prefix {
namespace {

/// Decoded, then "|", then what the cursor has left.
std::string decoded(std::string_view json) {
  std::vector<char> const exact(json.begin(), json.end());  // so that sanitizers see its end
  JsonCursor cursor({exact.data(), exact.size()});
  test::StringSink sink;
  read_string(cursor, sink);
  return sink.text() + "|" + std::string(cursor.at(), cursor.end());
}

TEST(ReadString, Escapes) {
  struct {
    std::string json, text;
  } const cases[] = {
      {R"("")", "|"},
      {R"("abc",)", "abc|,"},
      {R"("\"\\\/\b\f\n\r\t" )", "\"\\/\b\f\n\r\t| "},
      {R"("\u0041\u00e9\u20AC\ud83d\ude00")", "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80|"},
      {R"("\ud83d")", "\xED\xA0\xBD|"},
      {R"("\ude00x")", "\xED\xB8\x80x|"},
      {R"("\ud83d\ud83d\ude00")", "\xED\xA0\xBD\xF0\x9F\x98\x80|"},
      {R"("\ud83d\u0041")",
       "\xED\xA0\xBD"
       "A|"},
      {R"("\uFFFF\u0000")", std::string("\xEF\xBF\xBF\0|", 5)},
      // Broken: what stands before it counts, nothing after it.
      {R"("abc)", "abc|"},
      {R"("a\)", "a|"},
      {R"("a\x41b")", "a|"},
      {R"("a\u12)", "a|"},
      {R"("a\u12G4b")", "a|"},
      {R"("\ud83d\u)", "|"},
      {"\"", "|"},
  };
  for (auto const& c : cases) EXPECT_EQ(decoded(c.json), c.text) << c.json;
}

TEST(ReadString, LikeALibraryAtEveryLength) {
  std::mt19937 random(2);
  std::string const units[] = {"a", "bc", "\n", "\"", "\\", "\xC3\xA9", "\xF0\x9F\x98\x80", std::string(40, 'x')};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (auto n = random() % 120; n > 0; --n) text += units[random() % 8];
    auto const ascii = round % 2 == 0;
    EXPECT_EQ(decoded(nlohmann::json(text).dump(-1, ' ', ascii) + "]"), text + "|]");
  }
}

std::string canonical(std::string_view json) {
  std::vector<char> const exact(json.begin(), json.end());
  test::StringSink sink;
  write_canonical({exact.data(), exact.size()}, sink);
  return sink.text();
}

TEST(WriteCanonical, DropsBlanksAndDecodes) {
  struct {
    std::string json, text;
  } const cases[] = {
      {"", ""},
      {"1.50", "1.50"},
      {" [ 1 ,\n\t2\r] ", "[1,2]"},
      {R"({ "a b" : " c " , "d" : null })", R"({"a b":" c ","d":null})"},
      {R"(["a\n", "\u00e9"])", "[\"a\n\",\"\xC3\xA9\"]"},
      {R"(["\"", "\u0022", "\\"])", "[\"\xF5\",\"\xF5\",\"\\\"]"},
      {R"(["a\q", 1])", "[\"a"},
      {R"([1, \n])", "[1,"},
      {R"(["open, )", "[\"open, "},
  };
  for (auto const& c : cases) EXPECT_EQ(canonical(c.json), c.text) << c.json;
}

nlohmann::json any_json(std::mt19937& random, int depth) {
  std::string const texts[] = {"", "a b", "\"", "\\\"", "\n", "\xC3\xA9 x", std::string(70, ' '), "a\\"};
  auto const kind = random() % (depth > 4 ? 3 : 5);
  if (kind == 0) return texts[random() % 8];
  if (kind == 1) return static_cast<int>(random() % 1000);
  if (kind == 2) return nullptr;
  auto json = kind == 3 ? nlohmann::json::array() : nlohmann::json::object();
  for (auto n = random() % 6; n > 0; --n) {
    if (kind == 3) json.push_back(any_json(random, depth + 1));
    if (kind == 4) json[texts[random() % 8] + std::to_string(n)] = any_json(random, depth + 1);
  }
  return json;
}

TEST(WriteCanonical, IsTheSameForEveryLayoutAndOnlyThen) {
  std::mt19937 random(4);
  std::map<std::string, std::string> seen;
  for (int round = 0; round < 3000; ++round) {
    auto const json = any_json(random, 0);
    auto const compact = canonical(json.dump());
    EXPECT_EQ(canonical(json.dump(3)), compact) << json;
    EXPECT_EQ(canonical(json.dump(-1, ' ', true)), compact) << json;
    auto const [known, fresh] = seen.emplace(compact, json.dump());
    EXPECT_EQ(known->second, json.dump()) << "different values, one text";
  }
}

}  // namespace
}  // namespace kvgate::prefix
