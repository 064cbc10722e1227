#include "text/tokenize/line_encoder.hpp"

#include <gmock/gmock.h>

#include "unit/tokenizer/json.hpp"

namespace kvgate::text {
namespace {

TEST(LineEncoder, AnswersEachLine) {
  test::File const file{.post_processor = R"({"type":"BertProcessing","sep":["s",6],"cls":["c",5]})",
                        .model = R"({"type":"WordLevel","vocab":{"a b":1},"unk_token":"?"})"};
  auto const tokenizer = *Tokenizer::make(file.spec());
  struct Case {
    std::string line, with, without;
  };
  std::vector<Case> const table{
      {R"({"text":"a b"})", R"({"ids":[5,1,6]})", R"({"ids":[1]})"},
      {R"({"text":""})", R"({"ids":[5,6]})", R"({"ids":[]})"},
      {R"({"other":1,"text":"a\u0020b"})", R"({"ids":[5,1,6]})", R"({"ids":[1]})"},
  };
  auto const with = make_text_encoder(tokenizer, true);
  auto const without = make_text_encoder(tokenizer, false);
  for (Case const& c : table) {
    EXPECT_EQ(with->answer(c.line), c.with);
    EXPECT_EQ(without->answer(c.line), c.without);
  }
  for (char const* line :
       {"", "x", "[]", R"({"text":1})", R"({"text":"\ud800"})", R"({"text":"unknown"})", R"({"texts":"a"})"}) {
    EXPECT_THAT(with->answer(line), testing::StartsWith(R"({"error":")")) << line;
  }
}

}  // namespace
}  // namespace kvgate::text
