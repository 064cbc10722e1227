#include "text/tokenizer/pre_tokenizer.hpp"

#include "unit/tokenizer/json.hpp"

namespace kvgate::text {
namespace {

std::vector<std::string> pieces(std::string const& pre_tokenizer, std::string_view text) {
  auto const chain = PreTokenizerChain::make(test::File{.pre_tokenizer = pre_tokenizer}.spec().pre_tokenizers);
  if (chain.has_error()) return {"error: " + chain.error().message};
  SplitScratch scratch;
  std::vector<Piece> parts{{.text = text}};
  EXPECT_TRUE(chain->apply(parts, scratch));
  std::vector<std::string> texts;
  for (Piece const& part : parts) texts.emplace_back(part.text);
  return texts;
}

// What the library answers to the same.
TEST(PreTokenizer, DoesWhatTheLibraryDoes) {
  struct Case {
    std::string pre_tokenizer, text;
    std::vector<std::string> result;
  };
  std::vector<Case> const table{
      {R"({"type": "Whitespace"})", "Hey, you_2 \u00b2x!?", {"Hey", ",", "you_2", "\u00b2", "x", "!?"}},
      {R"({"type": "WhitespaceSplit"})", " a\u3000b\tc  ", {"a", "b", "c"}},
      {R"({"type": "BertPreTokenizer"})", "Hi, there\u3002a$b", {"Hi", ",", "there", "\u3002", "a", "$", "b"}},
      {R"({"type": "Punctuation", "behavior": "MergedWithPrevious"})", "a,,b!c", {"a,", ",", "b!", "c"}},
      {R"({"type": "Punctuation"})", "a$b", {"a", "$", "b"}},
      {R"({"type": "Digits", "individual_digits": true})", "a12\u00bdb", {"a", "1", "2", "\u00bd", "b"}},
      {R"({"type": "Digits", "individual_digits": false})", "a12\u00bdb3", {"a", "12\u00bd", "b", "3"}},
      {R"({"type": "CharDelimiterSplit", "delimiter": "-"})", "-a--b-", {"a", "b"}},
      {R"({"type": "UnicodeScripts"})",
       "  ab \u3042\u6f22\u30ab\u30fc \u03b1, b",
       {"ab ", "\u3042\u6f22\u30ab\u30fc ", "\u03b1", ", ", "b"}},
      {R"({"type": "UnicodeScripts"})", " ,.", {",."}},
      {R"({"type": "FixedLength", "length": 2})", "ab\u00e9de", {"ab", "\u00e9d", "e"}},
      {R"({"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": true})",
       "a b  c",
       {"\u2581a", "\u2581b", "\u2581", "\u2581c"}},
      {R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "never", "split": false})", " a b", {"_a_b"}},
      {R"({"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first", "split": true})",
       "a b",
       {"\u2581a", "\u2581b"}},
      {R"({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first", "split": true}]})",
       "a b",
       {"\u2581a", "b"}},
      {R"({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true})",
       "I'm \u00e9  x2",
       {"\u0120I", "'m", "\u0120\u00c3\u00a9", "\u0120", "\u0120x", "2"}},
      {R"({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false})",
       "a b",
       {"a\u0120b"}},
      {R"({"type": "Split", "pattern": {"String": "-"}, "behavior": "Removed", "invert": false})",
       "-the-final--countdown-",
       {"the", "final", "countdown"}},
      {R"({"type": "Split", "pattern": {"Regex": "[a-z]+"}, "behavior": "Removed", "invert": true})",
       "ab12cd 3",
       {"ab", "cd"}},
      {R"({"type": "Split", "pattern": {"String": "-"}, "behavior": "Isolated", "invert": false})",
       "-the-final--countdown-",
       {"-", "the", "-", "final", "-", "-", "countdown", "-"}},
      {R"({"type": "Split", "pattern": {"Regex": "[a-z]+"}, "behavior": "Isolated", "invert": true})",
       "ab12cd 3",
       {"ab", "12", "cd", " 3"}},
      {R"({"type": "Split", "pattern": {"String": "-"}, "behavior": "MergedWithPrevious", "invert": false})",
       "-the-final--countdown-",
       {"-", "the-", "final-", "-", "countdown-"}},
      {R"({"type": "Split", "pattern": {"Regex": "[a-z]+"}, "behavior": "MergedWithPrevious", "invert": true})",
       "ab12cd 3",
       {"ab12", "cd 3"}},
      {R"({"type": "Split", "pattern": {"String": "-"}, "behavior": "MergedWithNext", "invert": false})",
       "-the-final--countdown-",
       {"-the", "-final", "-", "-countdown", "-"}},
      {R"({"type": "Split", "pattern": {"Regex": "[a-z]+"}, "behavior": "MergedWithNext", "invert": true})",
       "ab12cd 3",
       {"ab", "12cd", " 3"}},
      {R"({"type": "Split", "pattern": {"String": "-"}, "behavior": "Contiguous", "invert": false})",
       "-the-final--countdown-",
       {"-", "the", "-", "final", "--", "countdown", "-"}},
      {R"({"type": "Split", "pattern": {"Regex": "[a-z]+"}, "behavior": "Contiguous", "invert": true})",
       "ab12cd 3",
       {"ab", "12", "cd", " 3"}},
      {R"({"type": "Split", "pattern": {"Regex": "x*"}, "behavior": "Isolated", "invert": false})",
       "axxb",
       {"a", "xx", "b"}},
      {R"({"type": "Split", "pattern": {"String": ""}, "behavior": "MergedWithNext", "invert": false})",
       "ab",
       {"a", "b"}},
  };
  for (Case const& c : table) EXPECT_EQ(pieces(c.pre_tokenizer, c.text), c.result) << c.pre_tokenizer;
}

TEST(PreTokenizer, AddedTokensAreLeftAlone) {
  auto const chain = PreTokenizerChain::make({WhitespaceSplit{}, MetaspacePreTokenizer{}});
  SplitScratch scratch;
  std::vector<Piece> parts{{.text = "a b"}, {.text = " x ", .token = 7}};
  ASSERT_TRUE(chain->apply(parts, scratch));
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[2].text, " x ");
  EXPECT_EQ(parts[2].token, 7u);
}

TEST(PreTokenizer, APatternThatTriesTooMuchGivesUp) {
  auto const chain = PreTokenizerChain::make({SplitPreTokenizer{{true, "(?:a|aa)+[^a]"}}});
  ASSERT_TRUE(chain.has_value());
  SplitScratch scratch;
  std::string const text(5000, 'a');
  std::vector<Piece> parts{{.text = text}};
  EXPECT_FALSE(chain->apply(parts, scratch));
}

}  // namespace
}  // namespace kvgate::text
