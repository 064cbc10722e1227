#include "text/tokenizer/normalizer.hpp"
#include "text/tokenizer/pattern_syntax.hpp"
#include "unit/tokenizer/json.hpp"

namespace kvgate::text {
namespace {

/// The text with each match replaced by #.
std::string marked(std::string const& pattern, std::string_view text) {
  auto const chain = NormalizerChain::make({ReplaceNormalizer{{true, pattern}, "#"}});
  if (chain.has_error()) return "error: " + chain.error().message;
  RewriteSpace space;
  NormalizeScratch scratch;
  return std::string(chain->apply({.text = text}, space, scratch).text);
}

// What Oniguruma inside the library answers to the same.
TEST(Pattern, MatchesWhatOnigurumaMatches) {
  struct Case {
    std::string pattern, text, result;
  };
  std::vector<Case> const table{
      {R"(\w)", "\u00b2a_-\u0301", "###-#"},
      {R"([\w])", "\u00b2a_-", "\u00b2##-"},
      {R"(\s$)", "a \n\n", "a###"},
      {R"($)", "a\nb\n", "a#\nb#\n#"},
      {R"(^)", "a\nb\n", "#a\n#b\n"},
      {R"(\Z)", "a\n", "a#\n#"},
      {R"((?i:'s|'re))", "'S '\u017f 'rE", "# # #"},
      {R"((?i:k))", "kK\u212a", "###"},
      {R"([a-z&&[^aeiou]]+)", "abcde", "a#e"},
      {R"(\p{^Lu})", "aB", "#B"},
      {R"(\h+)", "fg0", "#g#"},
      {R"(a{2}?b)", "aab ab b", "# a# #"},
      {R"(a{,2}b)", "aaab", "a#"},
      {R"(a{1,2}+)", "aaaaa", "#"},
      {R"(a{x)", "a{x", "#"},
      {R"((?>a+)ab)", "aab", "aab"},
      {R"((?m:.)\n)", "a\n\n", "#\n"},
      {R"(.)", "a\n", "#\n"},
      {R"(\bfoo\b)", "foo food \u00b2foo", "# food \u00b2foo"},
      {R"(\s+(?!\S))", "a   b  ", "a# b#"},
      {R"((?<=a)b)", "abb", "a#b"},
      {R"(a(?i)b|c)", "aB C ac", "# C #"},
      {R"((?<n>a)+)", "aa", "#"},
      {R"(\x{e9}|\u00e8|\x41)", "\u00e9\u00e8A", "###"},
      {R"([\]\-^])", "a]-^", "a###"},
      {R"(\p{Han}+)", "a\u4e2d\u6587b", "a#b"},
      {R"(\d)", "1\u0661\u00b2", "##\u00b2"},
      {R"(\D+)", "1a\u00b2", "1#"},
      {R"([^\s\p{L}])", "a \u00b21", "a ##"},
      {R"(\v|\a)",
       "\x0b"
       "\x07"
       "",
       "##"},
      {R"(a|b|)", "cab", "#c##"},
  };
  for (Case const& c : table) EXPECT_EQ(marked(c.pattern, c.text), c.result) << c.pattern;
}

TEST(Pattern, WhatMightMeanSomethingElseIsRefused) {
  std::vector<std::string> const table{
      R"((a)\1)", R"(\k<n>)",  "[[:alpha:]]",   "(?i:ss)", "(?i:\u00e9)", R"((?i)[\w])", "(a*)*", "a**",
      "(?~a)",    R"(\G)",     R"(\R)",         R"(\X)",   "(?x: a)",     "a)",          "(a",    "[a",
      "*a",       "[]a]",      "a{99999}",      R"(\q)",   "(?<=a+)b",    "[b-a]",       R"(\K)", R"(\p{Foo})",
      "a{3,1}",   R"([\w-z])", R"(\x{110000})", R"(\xff)", "\\",          "(?",          "a|*",   "(?(1)a)",
  };
  for (std::string const& pattern : table) {
    auto const chain = NormalizerChain::make({ReplaceNormalizer{{true, pattern}, "#"}});
    ASSERT_TRUE(chain.has_error()) << pattern;
    EXPECT_EQ(chain.error().message.find("Replace: "), 0u) << chain.error().message;
  }
}

TEST(Pattern, NestingIsBounded) {
  EXPECT_TRUE(to_pcre_pattern(std::string(100000, '(')).has_error());
  EXPECT_TRUE(to_pcre_pattern(std::string(100000, '[')).has_error());
}

}  // namespace
}  // namespace kvgate::text
