#include "text/tokenizer/tokenizer.hpp"

#include <gmock/gmock.h>

#include <random>

#include "text/unicode/code_point.hpp"
#include "unit/tokenizer/json.hpp"

namespace kvgate::text {
namespace {

using test::added;
using test::File;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

using Ids = std::vector<std::uint32_t>;

std::shared_ptr<Tokenizer const> made(File const& file, TokenizerOptions options = {}) {
  auto result = Tokenizer::make(file.spec(), options);
  EXPECT_TRUE(result.has_value()) << (result.has_error() ? result.error().message : "");
  return result.has_value() ? *result : nullptr;
}

Ids ids(Tokenizer const& tokenizer, std::string_view text, EncodeOptions options = {}) {
  TokenizerScratch scratch;
  Ids out;
  auto const done = tokenizer.encode(text, options, scratch, out);
  EXPECT_TRUE(done.has_value()) << text;
  return out;
}

std::string problem(Tokenizer const& tokenizer, std::string_view text) {
  TokenizerScratch scratch;
  Ids out;
  auto const done = tokenizer.encode(text, {}, scratch, out);
  return done.has_error() ? done.error().message : "";
}

constexpr char const* kWords =
    R"({"type":"WordLevel","vocab":{"?":0,"a":1,"b":2,"ab":3," ":4," a":5,"b ":6},"unk_token":"?"})";

// ---- models; the ids are the library's

TEST(Tokenizer, BpeMergesByRankThenFromTheLeft) {
  std::string const vocabulary = R"("vocab":{"a":0,"b":1,"c":2,"ab":3,"bc":4,"abc":5,"aa":6})";
  auto const tokenizer = made({.model = R"({"type":"BPE",)" + vocabulary + R"(,"merges":["b c","a b","a a"]})"});
  EXPECT_THAT(ids(*tokenizer, "abc"), ElementsAre(0, 4));
  EXPECT_THAT(ids(*tokenizer, "ab"), ElementsAre(3));
  EXPECT_THAT(ids(*tokenizer, "aaa"), ElementsAre(6, 0));
  EXPECT_THAT(ids(*tokenizer, "axb"), ElementsAre(3)) << "without unk_token what is unknown vanishes";
  auto const whole =
      made({.model = R"({"type":"BPE","ignore_merges":true,)" + vocabulary + R"(,"merges":[["b","c"]]})"});
  EXPECT_THAT(ids(*whole, "abc"), ElementsAre(5));
  EXPECT_THAT(ids(*whole, "abca"), ElementsAre(0, 4, 0));
}

TEST(Tokenizer, BpeUnknown) {
  auto const with = [](std::string const& options) {
    return made({.model = R"({"type":"BPE","vocab":{"?":0,"a":1,"<0xC3>":2,"<0xA9>":3,"<0x78>":4},"merges":[])" +
                          options + "}"});
  };
  EXPECT_THAT(ids(*with(R"(,"unk_token":"?")"), "xxa"), ElementsAre(0, 0, 1));
  EXPECT_THAT(ids(*with(R"(,"unk_token":"?","fuse_unk":true)"), "xxax"), ElementsAre(0, 1, 0));
  EXPECT_THAT(ids(*with(R"(,"unk_token":"?","byte_fallback":true)"), "\u00e9a"), ElementsAre(2, 3, 1));
  EXPECT_THAT(ids(*with(R"(,"unk_token":"?","byte_fallback":true)"), "yxa"), ElementsAre(4, 0, 1)) << "bytes overtake";
  EXPECT_THAT(problem(*with(R"(,"unk_token":"gone")"), "x"), HasSubstr("does not know"));
  EXPECT_THAT(ids(*with(R"(,"unk_token":"gone")"), "a"), ElementsAre(1));
}

TEST(Tokenizer, BpePrefixAndSuffix) {
  auto const tokenizer = made({.model = R"({"type":"BPE","vocab":{"a":0,"##b":1,"##b</w>":2,"a</w>":3,"ab</w>":4},
      "merges":[["a","##b</w>"]],"continuing_subword_prefix":"##","end_of_word_suffix":"</w>"})"});
  EXPECT_THAT(ids(*tokenizer, "ab"), ElementsAre(4));
  EXPECT_THAT(ids(*tokenizer, "a"), ElementsAre(3));
  EXPECT_THAT(ids(*tokenizer, "abb"), ElementsAre(0, 1, 2));
}

TEST(Tokenizer, WordPiece) {
  auto const tokenizer = made({.pre_tokenizer = R"({"type":"WhitespaceSplit"})",
                               .model = R"({"type":"WordPiece","vocab":{"?":0,"a":1,"ab":2,"##b":3,"##bc":4,"##c":5},
      "unk_token":"?","continuing_subword_prefix":"##","max_input_chars_per_word":4})"});
  EXPECT_THAT(ids(*tokenizer, "abc abbc x abx abbbb abcc"), ElementsAre(2, 5, 2, 4, 0, 0, 0, 2, 5, 5));
}

TEST(Tokenizer, Unigram) {
  auto const with = [](std::string const& options) {
    return made(
        {.model =
             R"({"type":"Unigram","vocab":[["?",0],["a",-1],["b",-1],["ab",-1.5],["xy",-20],["<0x78>",-9],["<0x7A>",-9]])" +
             options + "}"});
  };
  EXPECT_THAT(ids(*with(R"(,"unk_id":0)"), "abab"), ElementsAre(3, 3));
  EXPECT_THAT(ids(*with(R"(,"unk_id":0)"), "zzaz"), ElementsAre(0, 1, 0)) << "unknown ones are fused";
  EXPECT_THAT(ids(*with(R"(,"unk_id":0,"byte_fallback":true)"), "zx"), ElementsAre(6, 5));
  EXPECT_THAT(ids(*with(R"(,"unk_id":0,"byte_fallback":true)"), "zy"), ElementsAre(0)) << "bytes only for all of it";
  EXPECT_THAT(ids(*with(R"(,"unk_id":0)"), "xy"), ElementsAre(4));
  EXPECT_THAT(problem(*with(""), "z"), HasSubstr("does not know"));
}

TEST(Tokenizer, WordLevel) {
  auto const tokenizer = made({.pre_tokenizer = R"({"type":"WhitespaceSplit"})", .model = kWords});
  EXPECT_THAT(ids(*tokenizer, "ab zz a"), ElementsAre(3, 0, 1));
  EXPECT_THAT(ids(*tokenizer, ""), ElementsAre());
}

// ---- added tokens

TEST(Tokenizer, AddedTokensAreNumberedInTheirOrder) {
  auto const tokenizer = made(
      {.added_tokens = "[" + added("b") + "," + added("<x>") + "," + added("<y>") + "," + added("<x>", "special") + "]",
       .model = kWords});
  EXPECT_THAT(ids(*tokenizer, "<y><x>b"), ElementsAre(8, 7, 2));
}

TEST(Tokenizer, AddedTokenFlags) {
  struct Case {
    std::string flags, text;
    Ids result;
  };
  std::vector<Case> const table{
      {"", "a <x> b", {1, 4, 7, 4, 2}},
      {"lstrip", "a <x> b", {1, 7, 4, 2}},
      {"rstrip", "a <x> b", {1, 4, 7, 2}},
      {"single_word", "a<x>b", {1, 0, 0, 0, 2}},
      {"single_word", "a <x> b", {1, 4, 7, 4, 2}},
      {"lstrip rstrip", " \u3000<x>\n<x>", {7, 7}},
  };
  for (Case const& c : table) {
    auto const tokenizer = made({.pre_tokenizer = R"({"type":"FixedLength","length":1})",
                                 .added_tokens = "[" + added("<x>", c.flags) + "]",
                                 .model = kWords});
    EXPECT_EQ(ids(*tokenizer, c.text), c.result) << c.flags;
  }
}

TEST(Tokenizer, NormalizedTokensAreFoundInNormalizedText) {
  auto const tokenizer = made({.normalizer = R"({"type":"Lowercase"})",
                               .added_tokens = "[" + added("YES", "normalized") + "," + added("NO") + "]",
                               .model = kWords});
  EXPECT_THAT(ids(*tokenizer, "ayesa"), ElementsAre(1, 7, 1));
  EXPECT_THAT(ids(*tokenizer, "aYeSa"), ElementsAre(1, 7, 1));
  EXPECT_THAT(ids(*tokenizer, "aNOa"), ElementsAre(1, 8, 1));
  EXPECT_THAT(ids(*tokenizer, "anoa"), ElementsAre(0));
}

TEST(Tokenizer, TheLongestTokenAtTheEarliestPlaceWins) {
  auto const tokenizer =
      made({.added_tokens = "[" + added("<a") + "," + added("<ab>") + "," + added("b>") + "]", .model = kWords});
  EXPECT_THAT(ids(*tokenizer, "<ab><ab<a"), ElementsAre(8, 7, 2, 7));
}

TEST(Tokenizer, CutTokens) {
  auto const tokenizer =
      made({.added_tokens = "[" + added("<s>", "special") + "," + added("<s2>", "special") + "," + added("<s2>x", "") +
                            "," + added("<t>", "special lstrip") + "," + added("<u>", "") + "," +
                            added("x<v>", "special") + "," + added("<w>y", "special") + "]",
            .model = kWords});
  EXPECT_THAT(tokenizer->cut_tokens(), UnorderedElementsAre("<s>", "<w>y"));
}

TEST(Tokenizer, CutTokensThatAWordMayFollow) {
  auto const tokenizer = made({.added_tokens = "[" + added("<s>", "special") + "," + added("w1", "special") + "," +
                                               added("zz", "single_word") + "]",
                               .model = kWords});
  EXPECT_THAT(tokenizer->cut_tokens(), ElementsAre("<s>"));
}

TEST(Tokenizer, WhatContinuesIsNotTheBeginning) {
  auto const tokenizer =
      made({.pre_tokenizer = R"({"type":"Metaspace","replacement":"_","prepend_scheme":"first","split":true})",
            .added_tokens = "[" + added("<s>", "special") + "]",
            .model = R"({"type":"WordLevel","vocab":{"?":0,"a":1,"_a":2},"unk_token":"?"})"});
  EXPECT_THAT(ids(*tokenizer, "a<s>a"), ElementsAre(2, 3, 1));
  EXPECT_THAT(ids(*tokenizer, "a", {.continues = true}), ElementsAre(1));
}

// ---- post-processors

TEST(Tokenizer, PostProcessors) {
  struct Case {
    std::string post;
    Ids with, without;
  };
  std::string const special = R"("special_tokens":{"X":{"id":"X","ids":[8,9],"tokens":["X","Y"]}})";
  std::string const x = R"({"SpecialToken":{"id":"X","type_id":0}})";
  std::string const a = R"({"Sequence":{"id":"A","type_id":0}})";
  std::string const bert = R"({"type":"BertProcessing","sep":["s",6],"cls":["c",5]})";
  std::vector<Case> const table{
      {"null", {3}, {3}},
      {bert, {5, 3, 6}, {3}},
      {R"({"type":"RobertaProcessing","sep":["s",6],"cls":["c",5],"trim_offsets":true,"add_prefix_space":true})",
       {5, 3, 6},
       {3}},
      {R"({"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true,"use_regex":true})", {3}, {3}},
      {R"({"type":"TemplateProcessing","single":[)" + x + "," + a + "," + a + R"(],"pair":[],)" + special + "}",
       {8, 9, 3, 3},
       {3, 3}},
      {R"({"type":"Sequence","processors":[)" + bert + R"(,{"type":"TemplateProcessing","single":[)" + a + "," + x +
           R"(],"pair":[],)" + special + "}]}",
       {5, 3, 6, 8, 9},
       {3}},
  };
  for (Case const& c : table) {
    auto const tokenizer = made({.post_processor = c.post, .model = kWords});
    EXPECT_EQ(ids(*tokenizer, "ab"), c.with) << c.post;
    EXPECT_EQ(ids(*tokenizer, "ab", {.add_special_tokens = false}), c.without) << c.post;
  }
}

// ---- whatever comes

TEST(Tokenizer, TextThatIsNotUtf8IsAnError) {
  auto const tokenizer = made({.model = kWords});
  EXPECT_EQ(problem(*tokenizer, "a\xff"), "the text is not UTF-8");
  EXPECT_EQ(problem(*tokenizer, "\xed\xa0\x80"), "the text is not UTF-8");
}

TEST(Tokenizer, OneScratchServesMany) {
  auto const one = made({.model = kWords});
  auto const other = made({.model = R"({"type":"Unigram","vocab":[["?",0],["a",-1]],"unk_id":0})"});
  TokenizerScratch scratch;
  Ids out;
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(one->encode("ab", {}, scratch, out));
    EXPECT_THAT(out, ElementsAre(3));
    ASSERT_TRUE(other->encode("aa", {}, scratch, out));
    EXPECT_THAT(out, ElementsAre(1, 1));
  }
}

TEST(Tokenizer, WhatAScratchRemembersIsOfOneTokenizer) {
  auto const first = made({.model = R"({"type":"Unigram","vocab":[["?",0],["a",-1]],"unk_id":0})"});
  auto const second = made({.model = R"({"type":"Unigram","vocab":[["?",0],["b",-1],["a",-1]],"unk_id":0})"});
  TokenizerScratch scratch;
  Ids out;
  ASSERT_TRUE(first->encode("a", {}, scratch, out));
  EXPECT_THAT(out, ElementsAre(1));
  ASSERT_TRUE(second->encode("a", {}, scratch, out));
  EXPECT_THAT(out, ElementsAre(2));
}

/// Random text that has what Bert's steps look at.
std::string random_text(std::mt19937& random) {
  constexpr char32_t kRanges[][2] = {{0x20, 0x7e},     {0x61, 0x63},     {0x00, 0x20},      {0xa0, 0x24f},
                                     {0x300, 0x36f},   {0x590, 0x5ff},   {0xac00, 0xac80},  {0x4e00, 0x4e10},
                                     {0x2000, 0x206f}, {0xf900, 0xf910}, {0x10000, 0x10fff}};
  std::string text;
  for (int i = 0; i < 20; ++i) {
    auto const& range = kRanges[random() % std::size(kRanges)];
    append_utf8(text, range[0] + static_cast<char32_t>(random()) % (range[1] - range[0] + 1));
  }
  return text;
}

TEST(Tokenizer, BertsFastWayIsTheGeneralOne) {
  std::string const model =
      R"({"type":"WordPiece","vocab":{"?":0,"a":1,"b":2,"c":3,"##a":4,"##b":5,"##c":6,"ab":7,"e":8,"##e":9,"!":10,
      "\u4e00":11,"\u0300":12,"##\u0300":13,"\u1100":14,"##\u1161":15},"unk_token":"?","continuing_subword_prefix":"##","max_input_chars_per_word":6})";
  std::mt19937 random(1);
  for (std::string const flags :
       {"true,null,true", "true,true,false", "false,false,true", "true,false,false", "false,true,true"}) {
    std::string const cjk = flags.substr(0, flags.find(','));
    std::string const rest = flags.substr(flags.find(',') + 1);
    File const file{.normalizer = R"({"type":"BertNormalizer","clean_text":)" + cjk + R"(,"handle_chinese_chars":)" +
                                  cjk + R"(,"strip_accents":)" + rest.substr(0, rest.find(',')) + R"(,"lowercase":)" +
                                  rest.substr(rest.find(',') + 1) + "}",
                    .pre_tokenizer = R"({"type":"BertPreTokenizer"})",
                    .added_tokens = "[" + added("ab!", "special") + "]",
                    .model = model};
    auto const fast = made(file);
    auto const general = made(file, {.general_only = true});
    for (int i = 0; i < 2000; ++i) {
      std::string const text = random_text(random);
      ASSERT_EQ(ids(*fast, text), ids(*general, text)) << flags << " " << text;
    }
  }
}

// Whatever a file says, it is refused or its tokenizer encodes or refuses texts.
TEST(Tokenizer, MutatedFilesNeverCrash) {
  std::string const good =
      File{
          .normalizer =
              R"({"type":"Sequence","normalizers":[{"type":"NFKC"},{"type":"Replace","pattern":{"Regex":" {2,}|a+b"},"content":" "}]})",
          .pre_tokenizer =
              R"({"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":"[^a-c\\s]+|b"},"behavior":"Isolated","invert":false},{"type":"Metaspace","replacement":"_","prepend_scheme":"first","split":true}]})",
          .added_tokens = "[" + added("<s>", "special lstrip") + "," + added("b ", "normalized rstrip") + "]",
          .model =
              R"({"type":"BPE","vocab":{"a":0,"b":1,"ab":2,"_":3,"?":4},"merges":["a b"],"unk_token":"?","continuing_subword_prefix":""})"}
          .json();
  std::mt19937 random(11);
  int made_count = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = good;
    for (unsigned n = random() % 3; n < 3; ++n) {
      std::size_t const at = random() % text.size();
      if (random() % 2) text.insert(at, 1, R"({}[]",:0-9|\\+?*^$.)"[random() % 20]);
      if (random() % 2) text[at] = static_cast<char>(' ' + random() % 95);
      if (random() % 2) text.erase(random() % text.size(), 1);
    }
    auto spec = parse_tokenizer_spec(text);
    if (spec.has_error()) continue;
    auto const tokenizer = Tokenizer::make(std::move(*spec));
    if (tokenizer.has_error()) continue;
    ++made_count;
    TokenizerScratch scratch;
    Ids out;
    (void)(*tokenizer)->encode("ab  b <s> cab \u00bd" + random_text(random), {}, scratch, out);
  }
  EXPECT_GT(made_count, 100);
}

TEST(Tokenizer, LoadNamesTheFile) {
  auto const missing = Tokenizer::load("/nowhere/tokenizer.json");
  ASSERT_TRUE(missing.has_error());
  EXPECT_THAT(missing.error().message, HasSubstr("/nowhere/tokenizer.json"));
}

}  // namespace
}  // namespace kvgate::text
