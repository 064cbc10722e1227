#include "text/unicode/normalize.hpp"

#include <gtest/gtest.h>

#include <random>

#include "text/unicode/code_point.hpp"
#include "text/unicode/grapheme.hpp"

namespace kvgate::text {
namespace {

std::string in_form(UnicodeForm form, std::string_view text, std::vector<Change>* changes = nullptr) {
  FormNormalizer normalizer;
  std::string out;
  normalizer.append(form, text, out, changes);
  return out;
}

std::string random_text(std::mt19937& random) {
  constexpr char32_t kRanges[][2] = {{0x41, 0x7a},     {0xc0, 0x24f},    {0x300, 0x345}, {0x1100, 0x11ff},
                                     {0xac00, 0xac40}, {0x1e00, 0x1fff}, {0x900, 0x9ff}, {0xf900, 0xfb4f},
                                     {0x2100, 0x218f}, {0x3040, 0x30ff}};
  std::string text;
  for (int i = 0; i < 30; ++i) {
    auto const& range = kRanges[random() % std::size(kRanges)];
    append_utf8(text, range[0] + static_cast<char32_t>(random()) % (range[1] - range[0] + 1));
  }
  return text;
}

TEST(Normalize, FormsAgreeWithEachOther) {
  std::mt19937 random(3);
  for (int i = 0; i < 5000; ++i) {
    std::string const text = random_text(random);
    std::string const nfd = in_form(UnicodeForm::nfd, text);
    std::string const nfc = in_form(UnicodeForm::nfc, text);
    ASSERT_EQ(in_form(UnicodeForm::nfc, nfd), nfc);
    ASSERT_EQ(in_form(UnicodeForm::nfd, nfc), nfd);
    ASSERT_EQ(in_form(UnicodeForm::nfc, nfc), nfc);
    std::string const nfkd = in_form(UnicodeForm::nfkd, text);
    ASSERT_EQ(in_form(UnicodeForm::nfkd, nfc), nfkd);
    ASSERT_EQ(in_form(UnicodeForm::nfkc, text), in_form(UnicodeForm::nfc, nfkd));
    for (auto const form : {UnicodeForm::nfc, UnicodeForm::nfd, UnicodeForm::nfkc, UnicodeForm::nfkd}) {
      ASSERT_TRUE(!FormNormalizer::is_inert(form, text) || in_form(form, text) == text);
    }
  }
}

TEST(Normalize, MostTextIsSeenToBeInItsForm) {
  EXPECT_TRUE(FormNormalizer::is_inert(UnicodeForm::nfc,
                                       "plain, caf\u00e9, \u4e2d\u6587, \ud55c\uad6d\uc5b4, \u0440\u0443\u0441"));
  EXPECT_FALSE(FormNormalizer::is_inert(UnicodeForm::nfc, "e\u0301"));
  EXPECT_FALSE(FormNormalizer::is_inert(UnicodeForm::nfd, "\u00e9"));
  EXPECT_FALSE(FormNormalizer::is_inert(UnicodeForm::nfkc, "\u00bd"));
}

// Every code point says what became of it: replaced 0, put in 1, replaced with the n that follow -n.
TEST(Normalize, Changes) {
  struct Case {
    UnicodeForm form;
    std::string text;
    std::vector<Change> changes;
  };
  std::vector<Case> const table{
      {UnicodeForm::nfd, "a\u00e9", {0, 0, 1}},       {UnicodeForm::nfc, "ae\u0301b", {0, -1, 0}},
      {UnicodeForm::nfc, "\u1100\u1161\u11a8", {-2}}, {UnicodeForm::nfkc, "\u00bd", {0, 1, 1}},
      {UnicodeForm::nfc, "\u00e9\u4e2d", {0, 0}},
  };
  for (Case const& c : table) {
    std::vector<Change> changes;
    in_form(c.form, c.text, &changes);
    EXPECT_EQ(changes, c.changes) << c.text;
  }
}

TEST(Normalize, ManyMarksStayQuick) {
  std::string text = "a";
  for (int i = 0; i < 20000; ++i) text += i % 2 ? "\u0301" : "\u0323";
  std::string const nfc = in_form(UnicodeForm::nfc, text);
  EXPECT_EQ(nfc.substr(0, 5), "\u1ea1\u0323");
  EXPECT_EQ(nfc.substr(nfc.size() - 2), "\u0301");
}

std::vector<std::string> clusters(std::string const& text) {
  std::vector<std::string> result;
  GraphemeBreaks breaks(NormalTables::get());
  char const* at = text.data();
  while (at < text.data() + text.size()) {
    char32_t const c = next_code_point(at);
    if (breaks.before(c)) result.emplace_back();
    append_utf8(result.back(), c);
  }
  return result;
}

TEST(Grapheme, Clusters) {
  std::vector<std::vector<std::string>> const table{
      {"a", "b"},
      {"e\u0301", "x"},
      {"\r\n", "\n", "\r"},
      {"\n", "\u0301"},
      {"\u1100\u1161\u11a8", "\u1100"},
      {"\uac00\u11a8", "\uac01"},
      {"\U0001f468\u200d\U0001f469", "\U0001f467"},
      {"\U0001f468\u0301\u200d\U0001f469"},
      {"a\u200d", "\U0001f469"},
      {"\U0001f1e9\U0001f1ea", "\U0001f1eb\U0001f1f7", "\U0001f1e9"},
      {"\u0915\u094d\u0937", "\u0915"},
      {"\u0915", "\u0937\u093f"},
      {"\u0600a", "b"},
  };
  for (auto const& expected : table) {
    std::string text;
    for (std::string const& part : expected) text += part;
    EXPECT_EQ(clusters(text), expected) << text;
  }
}

}  // namespace
}  // namespace kvgate::text
