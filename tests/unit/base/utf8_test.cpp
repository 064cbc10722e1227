#include "base/utf8.hpp"

#include <gmock/gmock.h>

namespace kvgate {
namespace {

TEST(Utf8, ReplacesMalformedBytesOnly) {
  struct Case {
    std::string_view in, out;
  };
  for (auto const& [in, out] : {
           Case{"", ""}, Case{"plain", "plain"},
           Case{"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"},
           Case{"\xC3(", "\xEF\xBF\xBD("}, Case{"a\xFF", "a\xEF\xBF\xBD"},
           Case{"\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"},                                  // overlong
           Case{"\xE0\x80\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},                  // overlong
           Case{"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},                  // surrogate
           Case{"\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},  // over U+10FFFF
           Case{"\xE2\x82", "\xEF\xBF\xBD\xEF\xBF\xBD"},                                  // cut short
       }) {
    EXPECT_EQ(to_valid_utf8(in), out) << testing::PrintToString(in);
  }
}

TEST(Utf8, StepsByCodePoint) {
  EXPECT_EQ(utf8_step("\xE2\x82\xACx").code_point, U'\u20AC');
  EXPECT_EQ(utf8_step("\xE2\x82\xACx").length, 3U);
  EXPECT_EQ(utf8_step("\xF0\x9F\x98\x80").code_point, U'\U0001F600');
  EXPECT_EQ(utf8_step(std::string_view("\0", 1)).length, 1U);
}

}  // namespace
}  // namespace kvgate
