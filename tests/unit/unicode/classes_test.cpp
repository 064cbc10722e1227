#include "text/unicode/classes.hpp"

#include <gmock/gmock.h>

namespace kvgate::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::size_t size_of(std::span<CodeRange const> ranges) {
  std::size_t n = 0;
  for (auto [first, last] : ranges) n += last - first + 1;
  return n;
}

TEST(UnicodeClasses, TellCategoriesOfUnicode16) {
  struct Case {
    char32_t c;
    Category category;
  };
  for (auto [c, wanted] : {
           Case{U'A', Category::Lu},
           Case{U'z', Category::Ll},
           Case{0x1C5, Category::Lt},
           Case{0x2B0, Category::Lm},
           Case{0x4E00, Category::Lo},
           Case{0x301, Category::Mn},
           Case{U'7', Category::Nd},
           Case{0x2167, Category::Nl},
           Case{0xBD, Category::No},
           Case{U'_', Category::Pc},
           Case{U'+', Category::Sm},
           Case{U' ', Category::Zs},
           Case{0xA0, Category::Zs},
           Case{0x85, Category::space_control},
           Case{U'\v', Category::space_control},
           Case{0x1F, Category::Cc},
           Case{0xD800, Category::Cs},
           Case{0xE000, Category::Co},
           Case{0x378, Category::Cn},
           Case{0x10FFFF, Category::Cn},
           Case{0x10D4A, Category::Lo},  // Garay, new in 16.0
           Case{0x1C89, Category::Lu},   // new in 16.0
       }) {
    EXPECT_EQ(category(c), wanted) << std::hex << static_cast<std::uint32_t>(c);
  }
}

TEST(UnicodeClasses, CountAsOnigurumaDoes) {
  EXPECT_EQ(size_of(ranges(masks::kLetter)), 141028U);
  EXPECT_EQ(size_of(ranges(masks::kMark)), 2501U);
  EXPECT_EQ(size_of(ranges(masks::kNumber)), 1911U);
  EXPECT_EQ(size_of(ranges(masks::kPunctuation)), 855U);
  EXPECT_EQ(size_of(ranges(masks::kSymbol)), 8514U);
  EXPECT_EQ(size_of(ranges(masks::kDigit)), 760U);
  EXPECT_EQ(size_of(ranges(masks::kSpace)), 25U);
  EXPECT_EQ(size_of(word_ranges()), 144671U);
  EXPECT_EQ(size_of(script_ranges("Han")), 99030U);
}

TEST(UnicodeClasses, SpaceIsWhiteSpace) {
  EXPECT_THAT(ranges(masks::kSpace),
              ElementsAre(CodeRange{9, 13}, CodeRange{32, 32}, CodeRange{0x85, 0x85}, CodeRange{0xA0, 0xA0},
                          CodeRange{0x1680, 0x1680}, CodeRange{0x2000, 0x200A}, CodeRange{0x2028, 0x2029},
                          CodeRange{0x202F, 0x202F}, CodeRange{0x205F, 0x205F}, CodeRange{0x3000, 0x3000}));
}

TEST(UnicodeClasses, WordIsNoUnionOfCategories) {
  for (char32_t c : {U'a', U'_', U'0', char32_t{0xB2}, char32_t{0x301}, char32_t{0x4E00}}) EXPECT_TRUE(is_word(c));
  for (char32_t c : {U'-', U' ', char32_t{0x9F4}, char32_t{0x378}}) EXPECT_FALSE(is_word(c));
}

TEST(UnicodeClasses, AreFoundByName) {
  EXPECT_EQ(category_mask("L"), masks::kLetter);
  EXPECT_EQ(category_mask("Lu"), mask_of(Category::Lu));
  EXPECT_EQ(category_mask("Cc"), masks::kControl);
  EXPECT_EQ(category_mask("Han"), 0U);
  EXPECT_EQ(category_mask(""), 0U);
  EXPECT_THAT(script_ranges("Klingon"), IsEmpty());
}

TEST(UnicodeClasses, FoldBeyondAscii) {
  EXPECT_EQ(other_folds(U's'), U"\u017F");
  EXPECT_EQ(other_folds(U'k'), U"\u212A");
  EXPECT_EQ(other_folds(U't'), U"");
}

}  // namespace
}  // namespace kvgate::text
