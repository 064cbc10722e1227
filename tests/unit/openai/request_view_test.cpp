#include "openai/request_view.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "unit/openai/recorded.hpp"

namespace kvgate::openai {
namespace {

/// A body with exactly the padding that callers owe, filled with what would mislead a reader that goes too far.
class Padded {
 public:
  explicit Padded(std::string_view body, char filler = '}')
      : size_(body.size()), bytes_(std::make_unique<char[]>(body.size() + kBodyPadding)) {
    std::memcpy(bytes_.get(), body.data(), body.size());
    std::memset(bytes_.get() + size_, filler, kBodyPadding);
  }
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> bytes_;
};

/// "" when accepted, else kind and param.
std::string verdict(std::string_view body, std::vector<std::string> const& extra_fields = {}) {
  RequestParser parser;
  Padded const padded(body);
  auto const view = parser.parse_json(ApiKind::chat, padded.view(), extra_fields);
  if (view) return "";
  EXPECT_FALSE(view.error().message.empty());
  return std::string(to_string(view.error().kind)) + " " + view.error().param;
}

TEST(RequestParser, ReadsAFullRequestInAnyOrder) {
  std::string const body =
      "\t{ \"z\": [1, {\"model\":\"inner\"}], \"messages\" : [ {\"role\":\"user\"} ]  ,\n"
      "\"max_tokens\": 5, \"stream\" :true , \"store\":true, \"user\" : \"u\\u00e9\\n\", "
      "\"model\"  :  \"org/a-1\"  , \"seed\":18446744073709551615}\r\n ";
  Padded const padded(body);
  RequestParser parser;
  std::vector<std::string> const fields{"user"};
  auto const view = parser.parse_json(ApiKind::chat, padded.view(), fields);
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(view->api, ApiKind::chat);
  EXPECT_EQ(view->model, "org/a-1");
  EXPECT_EQ(view->model_token, "\"org/a-1\"");
  EXPECT_EQ(view->messages, "[ {\"role\":\"user\"} ]");
  EXPECT_EQ(view->prompt, "");
  EXPECT_TRUE(view->stream);
  EXPECT_TRUE(view->background_or_store);
  EXPECT_EQ(view->max_tokens, 5u);
  EXPECT_EQ(view->extra[0], "u\xC3\xA9\n");
  auto const at = static_cast<std::size_t>(view->model_token.data() - padded.view().data());
  EXPECT_EQ(at, body.find("\"org/a-1\"")) << "the token is a range of the body";
  EXPECT_EQ(view->messages.data() - padded.view().data(), static_cast<std::ptrdiff_t>(body.find("[ {")));
}

TEST(RequestParser, PromptOfEachShape) {
  struct {
    ApiKind api;
    char const* body;
    char const* prompt;
  } const cases[] = {
      {ApiKind::completions, R"({"prompt":"a \" } b"})", R"("a \" } b")"},
      {ApiKind::completions, R"({"prompt": [ 1, 2 ] ,"x":1})", "[ 1, 2 ]"},
      {ApiKind::completions, R"({"prompt":[[1,2],["x"]] })", R"([[1,2],["x"]])"},
      {ApiKind::completions, R"({"prompt":{} , "a":1})", "{}"},
      {ApiKind::completions, R"({"prompt":null})", ""},
      {ApiKind::completions, R"({"prompt":7})", ""},
      {ApiKind::completions, R"({"input":"i","prompt":"p"})", "\"p\""},
      {ApiKind::responses, R"({"prompt":{"id":"pmpt"},"input":"i"})", "\"i\""},
      {ApiKind::responses, R"({"input":[{"role":"user"}],"prompt":"p"})", R"([{"role":"user"}])"},
      {ApiKind::tokenize, R"({"input":"i"})", "\"i\""},
      {ApiKind::embeddings, R"({"input":["a","b"]})", R"(["a","b"])"},
      {ApiKind::embeddings, R"({"texts":["a"]})", R"(["a"])"},
      {ApiKind::rerank, R"({"input":"i","query":"q"})", "\"q\""},
      {ApiKind::score, R"({"text_1":"t","text_2":["x"]})", "\"t\""},
      {ApiKind::score, R"({"queries":"q","documents":["x"]})", "\"q\""},
      {ApiKind::score, R"({"data_1":"d","data_2":["x"]})", "\"d\""},
      {ApiKind::embeddings, R"({"inputs":[{"content":[]}],"images":["i"]})", R"([{"content":[]}])"},
      {ApiKind::embeddings, R"({"images":["i"]})", R"(["i"])"},
      {ApiKind::completions, R"({"prompt":null,"prompt_embeds":"AAAA"})", "\"AAAA\""},
      {ApiKind::completions, R"({"prompt_embeds":"AAAA","prompt":"p"})", "\"p\""},
      {ApiKind::generate, R"({"token_ids":[10,11]})", "[10,11]"},
  };
  for (auto const& c : cases) {
    RequestParser parser;
    Padded const padded(c.body);
    auto const view = parser.parse_json(c.api, padded.view(), {});
    ASSERT_TRUE(view) << c.body << view.error().message;
    EXPECT_EQ(view->prompt, c.prompt) << c.body;
  }
}

TEST(RequestParser, NumbersNeverHurt) {
  struct {
    char const* body;
    std::optional<std::uint64_t> max_tokens;
  } const cases[] = {
      {R"({"max_tokens":16})", 16},
      {R"({"max_tokens":18446744073709551615 })", 18446744073709551615u},
      {R"({"max_tokens":18446744073709551616})", std::nullopt},
      {R"({"max_tokens":123456789012345678901234567890})", std::nullopt},
      {R"({"max_tokens":1e400})", std::nullopt},
      {R"({"max_tokens":-1})", std::nullopt},
      {R"({"max_tokens":"16"})", std::nullopt},
      {R"({"max_tokens":null})", std::nullopt},
      {R"({"max_tokens":[1]})", std::nullopt},
      {R"({"max_tokens":1,"max_completion_tokens":2})", 2},
      {R"({"max_completion_tokens":2,"max_tokens":1})", 2},
      {R"({"max_completion_tokens":null,"max_tokens":1})", 1},
      {R"({"max_output_tokens":3})", 3},
      {R"({"seed":9007199254740993,"x":[-0.0,1e-7,1E400,-123456789012345678901234567890]})", std::nullopt},
  };
  for (auto const& c : cases) {
    RequestParser parser;
    Padded const padded(c.body);
    auto const view = parser.parse_json(ApiKind::chat, padded.view(), {});
    ASSERT_TRUE(view) << c.body;
    EXPECT_EQ(view->max_tokens, c.max_tokens) << c.body;
  }
}

struct VerdictCase {
  std::string body;
  char const* verdict;
};

TEST(RequestParser, ShapesThatAreNoRequest) {
  VerdictCase const cases[] = {
      {"", "bad_request "},
      {"   \r\n", "bad_request "},
      {"[]", "bad_request "},
      {"null", "bad_request "},
      {"3", "bad_request "},
      {"\"x\"", "bad_request "},
      {"\xEF\xBB\xBF{}", "bad_request "},
      {"{", "bad_request "},
      {"{\"a\":1", "bad_request "},
      {"{\"a\":[1}", "bad_request "},
      {"{\"a\":{}", "bad_request "},
      {"{\"a\":\"open}", "bad_request "},
      {"{\"a\" 1}", "bad_request "},
      {"{\"a\":1 \"b\":2}", "bad_request "},
      {"{1:2}", "bad_request "},
      {"{}x", "bad_request "},
      {"{}{}", "bad_request "},
      {"{\"a\":1}}", "bad_request "},
      {"{\"a\":1},", "bad_request "},
      {"not json", "bad_request "},
      {"{\"a\":\"\x01\"}", "bad_request "},
      {"{}", ""},
      {" {} \n", ""},
      {R"({"model":null})", "bad_request model"},
      {R"({"model":5})", "bad_request model"},
      {R"({"model":[]})", "bad_request model"},
      {R"({"model":{}})", "bad_request model"},
      {R"({"model":true})", "bad_request model"},
      {R"({"model":""})", "bad_request model"},
      {R"({"messages":5})", ""},
      {R"({"messages":[null]})", ""},
      {R"({"prompt":{}})", ""},
      {R"({"stream":"yes","model":"m"})", ""},
      {R"({"messages":[{"content":[{"type":9}]}]})", ""},
  };
  for (auto const& c : cases) EXPECT_EQ(verdict(c.body), c.verdict) << c.body;
}

TEST(RequestParser, SaysWhatIsWrong) {
  struct {
    char const* body;
    char const* part;
  } const cases[] = {
      {"", "empty"},       {"\xEF\xBB\xBF{}", "byte order mark"}, {"[1]", "not a JSON object"},
      {"{}{}", "follows"}, {"{\"model\":1}", "string"},           {"{\"stream\":1,\"stream\":1}", "`stream`"}};
  for (auto const& c : cases) {
    RequestParser parser;
    Padded const padded(c.body);
    auto const view = parser.parse_json(ApiKind::chat, padded.view(), {});
    ASSERT_FALSE(view);
    EXPECT_NE(view.error().message.find(c.part), std::string::npos) << view.error().message;
  }
}

constexpr std::string_view kPartNames[] = {"chat_template",
                                           "chat_template_kwargs",
                                           "reasoning_effort",
                                           "reasoning",
                                           "thinking",
                                           "output_config",
                                           "mm_processor_kwargs",
                                           "media_io_kwargs",
                                           "add_special_tokens",
                                           "input_type",
                                           "tools",
                                           "system",
                                           "instructions",
                                           "previous_response_id",
                                           "previous_input_messages",
                                           "documents",
                                           "items",
                                           "text_2",
                                           "data_2"};
static_assert(std::size(kPartNames) == kPromptParts);

TEST(RequestParser, PartsOfThePrompt) {
  RequestParser parser;
  for (std::size_t i = 0; i < kPromptParts; ++i) {
    for (std::string const value : {"\"a\\\"}b\"", "[1, {\"a\":2} ]", "{ }", "true", "false"}) {
      Padded const padded("{\"x\":{},\"" + std::string(kPartNames[i]) + "\" : " + value + " , \"y\":[]}");
      auto const view = parser.parse_json(ApiKind::chat, padded.view(), {});
      ASSERT_TRUE(view);
      for (std::size_t k = 0; k < kPromptParts; ++k) {
        EXPECT_EQ(view->part(static_cast<PromptPart>(k)), k == i ? value : "") << kPartNames[i] << " " << kPartNames[k];
      }
    }
    for (std::string const value : {"null", "7", "-1.5"}) {
      Padded const padded("{\"" + std::string(kPartNames[i]) + "\":" + value + "}");
      auto const view = parser.parse_json(ApiKind::chat, padded.view(), {});
      ASSERT_TRUE(view);
      EXPECT_EQ(view->parts[i], "");
    }
  }
}

TEST(RequestParser, CacheSalt) {
  struct {
    char const* value;
    std::optional<std::string_view> salt;
  } const cases[] = {{"\"s\"", "s"},      {"\"\\u0073\"", "s"},  {"\"\"", ""}, {"\"\\ud83d\"", std::nullopt},
                     {"7", std::nullopt}, {"null", std::nullopt}};
  std::vector<std::string> const fields{"cache_salt"};
  for (auto const& c : cases) {
    RequestParser parser;
    Padded const padded("{\"cache_salt\":" + std::string(c.value) + "}");
    auto const view = parser.parse_json(ApiKind::chat, padded.view(), fields);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->cache_salt, c.salt) << c.value;
  }
}

TEST(RequestParser, NamesThatAreAlmostKeysAreNone) {
  RequestParser parser;
  Padded const padded(R"({"tool":[],"toolz":[],"Tools":[],"tools ":[],"":[],"system_":"x","cache_sal":"s","pro":"p",
                          "chat_template_kwargz":{},"previous_input_messages_":[],"a_name_longer_than_all_of_them":1})");
  auto const view = parser.parse_json(ApiKind::chat, padded.view(), {});
  ASSERT_TRUE(view);
  for (auto const part : view->parts) EXPECT_EQ(part, "");
  EXPECT_EQ(view->prompt, "");
  EXPECT_FALSE(view->cache_salt);
}

TEST(RequestParser, RepeatedKeys) {
  std::vector<std::string> const fields{"sid"};
  std::vector<std::string> keys{"model",
                                "stream",
                                "prompt",
                                "messages",
                                "input",
                                "query",
                                "queries",
                                "text_1",
                                "data_1",
                                "texts",
                                "inputs",
                                "images",
                                "token_ids",
                                "prompt_embeds",
                                "max_tokens",
                                "max_completion_tokens",
                                "max_output_tokens",
                                "background",
                                "store",
                                "cache_salt",
                                "sid"};
  keys.insert(keys.end(), std::begin(kPartNames), std::end(kPartNames));
  for (auto const& key : keys) {
    auto const twice = "{\"" + key + "\":\"a\",\"x\":1,\"" + key + "\":\"a\"}";
    EXPECT_EQ(verdict(twice, fields), "bad_request " + key);
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(key[1]));
    auto const escaped = "{\"" + key + "\":\"a\",\"" + key.substr(0, 1) + escape + key.substr(2) + "\":\"a\"}";
    EXPECT_EQ(verdict(escaped, fields), "bad_request " + key) << escaped;
    EXPECT_EQ(verdict("{\"" + key + "\":\"a\",\"x\":{\"" + key + "\":\"b\"}}", fields), "") << "inside is no repeat";
  }
  EXPECT_EQ(verdict(R"({"seed":1,"seed":2,"sid":1,"sid":2})"), "") << "keys that routing does not read";
  EXPECT_EQ(verdict(R"({"model":"a","model":"a"})", {"model"}), "bad_request model");
}

TEST(RequestParser, EscapedKeyIsTheKey) {
  RequestParser parser;
  Padded const padded(R"({"mod\u0065l":"\u006dy\u00e9\ud83d\ude00\"","\ud83d":1,"bad\q":2})");
  auto const view = parser.parse_json(ApiKind::chat, padded.view(), {});
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(view->model, "my\xC3\xA9\xF0\x9F\x98\x80\"");
  EXPECT_EQ(view->model_token, R"("\u006dy\u00e9\ud83d\ude00\"")");
}

TEST(RequestParser, SurrogatesAndInvalidUtf8) {
  VerdictCase const cases[] = {
      {R"({"model":"m","messages":[{"content":"\ud83d"}]})", ""},
      {R"({"model":"m","prompt":"\ud83d and \u0000"})", ""},
      {R"({"model":"\ud83d"})", "bad_request model"},
      {R"({"model":"a\udc00b"})", "bad_request model"},
      {R"({"model":"\ud83d\ud83d"})", "bad_request model"},
      {R"({"model":"\uZZZZ"})", "bad_request model"},
      {R"({"model":"a\u0000"})", ""},
      {"{\"model\":\"\xC3(\"}", "bad_request "},
      // Raw bytes that are no UTF-8 are refused wherever they stand: no engine takes them either.
      {"{\"prompt\":\"\xC3(\"}", "bad_request "},
      {"{\"prompt\":\"\xED\xA0\xBD\"}", "bad_request "},
      {"{\"prompt\":\"\xF5\x80\x80\x80\"}", "bad_request "},
  };
  for (auto const& c : cases) EXPECT_EQ(verdict(c.body), c.verdict) << c.body;
}

TEST(RequestParser, ExtraField) {
  struct {
    char const* field;
    char const* body;
    std::optional<std::string_view> value;
  } const cases[] = {
      {"sid", R"({"sid":"abc"})", "abc"},           {"sid", R"({"sid":-42 })", "-42"},
      {"sid", R"({"sid":""})", std::nullopt},       {"sid", R"({"sid":null})", std::nullopt},
      {"sid", R"({"sid":true})", std::nullopt},     {"sid", R"({"sid":["a"]})", std::nullopt},
      {"sid", R"({"sid":"\ud83d"})", std::nullopt}, {"sid", R"({"x":{"sid":"a"}})", std::nullopt},
      {"sid", R"({"s\u0069d":"a"})", "a"},          {"", R"({"":"a"})", std::nullopt},
      {"model", R"({"model":"\u006d"})", "m"},      {"prompt", R"({"prompt":"\u006d"})", "m"},
      {"system", R"({"system":"\u006d"})", "m"},
  };
  for (auto const& c : cases) {
    RequestParser parser;
    Padded const padded(c.body);
    std::vector<std::string> const fields{c.field};
    auto const view = parser.parse_json(ApiKind::chat, padded.view(), fields);
    ASSERT_TRUE(view) << c.body;
    EXPECT_EQ(view->extra[0], c.value) << c.body;
  }
}

TEST(RequestParser, ExtraFieldsComeBackInTheirOrder) {
  std::vector<std::string> const fields{"priority", "user", "none", "user", "model", "", "prompt", "h", "ninth"};
  RequestParser parser;
  Padded const padded(R"({"ninth":"9","h":"\u0068","prompt":["p"],"model":"m","user":"\u0075","priority":-3})");
  for (int round = 0; round < 2; ++round) {
    auto const view = parser.parse_json(ApiKind::completions, padded.view(), fields);
    ASSERT_TRUE(view);
    using Value = std::optional<std::string_view>;
    std::array<Value, kMaxExtraFields> const expected{"-3", "u", Value(), "u", "m", Value(), Value(), "h"};
    EXPECT_EQ(view->extra, expected);
    EXPECT_EQ(view->prompt, "[\"p\"]") << "a field that was asked for is read all the same";
  }
  EXPECT_EQ(verdict(R"({"ninth":1,"ninth":2})", fields), "") << "more than eight are not looked for";
}

TEST(RequestParser, DepthIsCheap) {
  std::string const open(100'000, '[');
  std::string const close(100'000, ']');
  auto const start = std::chrono::steady_clock::now();
  EXPECT_EQ(verdict(open), "bad_request ");
  EXPECT_EQ(verdict("{\"a\":" + open), "bad_request ");
  EXPECT_EQ(verdict("{\"messages\":" + open + "}"), "bad_request ");
  EXPECT_EQ(verdict("{\"messages\":" + open + close + ",\"model\":\"m\"}"), "");
  EXPECT_EQ(verdict("{\"a\":" + open + close + ",\"model\":\"\"}"), "bad_request model");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(verdict(objects + "1" + std::string(100'000, '}')), "");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST(RequestParser, LargeBodyAndScratch) {
  RequestParser parser;
  Padded const small(R"({"model":"m"})");
  ASSERT_TRUE(parser.parse_json(ApiKind::chat, small.view(), {}));

  std::string body = R"({"messages":[{"content":")";
  body.append(64u * 1024 * 1024 - 100, 'A');
  body += R"("}],"model":"\u006d","max_tokens":9})";
  Padded const large(body);
  auto const view = parser.parse_json(ApiKind::chat, large.view(), {});
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(view->model, "m");
  EXPECT_EQ(view->max_tokens, 9u);
  EXPECT_EQ(view->messages.size(), body.size() - std::string_view(R"({"messages":)").size() -
                                       std::string_view(R"(,"model":"\u006d","max_tokens":9})").size());
  EXPECT_EQ(view->model, "m") << "the scratch of a large body is given back, and the view does not need it";
  EXPECT_GE(RequestParser::scratch_for(body.size()), body.size());
}

TEST(RequestParser, IsReusableAfterErrors) {
  RequestParser parser;
  for (auto const* body : {"{\"model\":", R"({"model":"\ud83d"})", "[]", R"({"model":"a","model":"b"})"}) {
    Padded const broken(body);
    EXPECT_FALSE(parser.parse_json(ApiKind::chat, broken.view(), {}));
    Padded const good(R"({"model":"m"})");
    auto const view = parser.parse_json(ApiKind::chat, good.view(), {});
    ASSERT_TRUE(view);
    EXPECT_EQ(view->model, "m");
  }
}

/// Whatever comes, spans lie in the body and nothing crashes; with sanitizers this finds reads beyond the padding.
TEST(RequestParser, MutatedBodiesStayInBounds) {
  std::string const seed =
      R"({"model":"m\u0065","messages":[{"role":"user","content":"a\ud83d\\"}],"prompt":{"a":[1,2]},"sid":7,"stream":true,"tools":[{"a":"\\n"}],"cache_salt":"\\u0073","system":"s"})";
  std::string const alphabet = "{}[]:,\"\\u0 1-e\n\x80";
  std::mt19937 random(7);
  auto const pick = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  RequestParser parser;
  std::vector<std::string> const fields{"sid"};
  for (int round = 0; round < 20'000; ++round) {
    auto body = seed.substr(0, pick(4) == 0 ? pick(seed.size()) + 1 : seed.size());
    for (auto n = pick(4); n > 0; --n) body[pick(body.size())] = alphabet[pick(alphabet.size())];
    Padded const padded(body, alphabet[pick(alphabet.size())]);
    auto const view = parser.parse_json(ApiKind::chat, padded.view(), fields);
    if (!view) continue;
    std::vector<std::string_view> spans(view->parts.begin(), view->parts.end());
    spans.insert(spans.end(), {view->model_token, view->messages, view->prompt});
    for (auto const span : spans) {
      if (span.empty()) continue;
      ASSERT_GE(span.data(), padded.view().data()) << body;
      ASSERT_LE(span.data() + span.size(), padded.view().data() + padded.view().size()) << body;
    }
  }
}

TEST(RequestParser, RecordedRequests) {
  KVGATE_NEEDS_RECORDED();
  struct {
    char const* file;
    ApiKind api;
    char const* model;
    char const* prompt;
    bool messages;
  } const cases[] = {
      {"chat.req", ApiKind::chat, "tiny", "", true},
      {"batch_chat.req", ApiKind::batch_chat, "tiny", "", true},
      {"completions_tokens.req", ApiKind::completions, "tiny", "[10, 11, 12, 13]", false},
      {"generate_tokens.req", ApiKind::generate, "tiny", "[10, 11, 12, 13]", false},
      {"messages.req", ApiKind::messages, "tiny", "", true},
      {"pooling/rerank.req", ApiKind::rerank, "tiny-embed", "\"a\"", false},
      {"pooling/score.req", ApiKind::score, "tiny-embed", "\"a\"", false},
      {"pooling/v1_score.req", ApiKind::score, "tiny-embed", "\"a\"", false},
      {"pooling/v2_embed.req", ApiKind::embeddings, "tiny-embed", "[\"a\"]", false},
      {"pooling/embeddings_chat.req", ApiKind::embeddings, "tiny-embed", "", true},
  };
  for (auto const& c : cases) {
    RequestParser parser;
    Padded const padded(test::recorded_body(c.file));
    auto const view = parser.parse_json(c.api, padded.view(), {});
    ASSERT_TRUE(view) << c.file;
    EXPECT_EQ(view->model, c.model) << c.file;
    EXPECT_EQ(view->prompt, c.prompt) << c.file;
    EXPECT_EQ(!view->messages.empty(), c.messages) << c.file;
  }
}

TEST(RequestParser, RecordedParts) {
  KVGATE_NEEDS_RECORDED();
  struct {
    char const* file;
    ApiKind api;
    PromptPart part;
    char const* begins;
  } const cases[] = {
      {"chat_tools.req", ApiKind::chat, PromptPart::tools, R"([{"type": "function", "function": {"name": "f")"},
      {"messages.req", ApiKind::messages, PromptPart::system, R"("be terse")"},
      {"pooling/rerank.req", ApiKind::rerank, PromptPart::documents, R"(["b", "c d"])"},
      {"pooling/score.req", ApiKind::score, PromptPart::text_2, R"(["b", "c"])"},
  };
  for (auto const& c : cases) {
    RequestParser parser;
    Padded const padded(test::recorded_body(c.file));
    auto const view = parser.parse_json(c.api, padded.view(), {});
    ASSERT_TRUE(view) << c.file;
    EXPECT_TRUE(view->part(c.part).starts_with(c.begins)) << c.file << view->part(c.part);
  }
}

}  // namespace
}  // namespace kvgate::openai
