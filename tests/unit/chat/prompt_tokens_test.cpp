#include "text/chat/prompt_tokens.hpp"

#include <gtest/gtest.h>

#include "unit/chat/model_folder.hpp"

namespace kvgate::text {
namespace {

using openai::ApiKind;

constexpr char const* kTemplate =
    "{% for m in messages %}{{ m.role[0] }}{{ m.content }}<end>{% endfor %}{% if add_generation_prompt %}a{% endif %}";
// Special tokens around a text, which single texts of /v1/completions get.
constexpr char const* kAround = R"({"type": "BertProcessing", "sep": ["s", 301], "cls": ["c", 300]})";

std::shared_ptr<ModelAssets const> loaded(test::ModelFolder const& folder, EngineOptions const& options = {}) {
  auto assets = ModelAssets::load(folder.path(), options);
  EXPECT_TRUE(assets) << assets.error().message;
  return assets ? *assets : nullptr;
}

/// Ids as text: bytes as they are, <end> as $, others as numbers in brackets. Several prompts are set apart by |.
std::string shown(Result<PromptTokens> const& result) {
  if (!result) return "refused: " + result.error().message;
  if (result->unknown) return "unknown: " + std::string(to_string(*result->unknown));
  std::string out = result->prefix_only ? "prefix: " : "";
  for (auto const& prompt : result->prompts) {
    if (&prompt != result->prompts.data()) out += "|";
    for (std::uint32_t id : prompt) {
      out += id < 256 ? std::string(1, static_cast<char>(id)) : id == 256 ? "$" : "[" + std::to_string(id) + "]";
    }
  }
  return out;
}

class Asked {
 public:
  explicit Asked(std::shared_ptr<ModelAssets const> model) : model_(std::move(model)) {}

  std::string operator()(ApiKind api, std::string const& body, PromptOptions const& options = {}) {
    return shown(prompt_tokens(*model_, api, body, options, scratch_));
  }

 private:
  std::shared_ptr<ModelAssets const> model_;
  TokenizerScratch scratch_;
};

TEST(PromptTokens, ByApi) {
  test::ModelFolder folder;
  folder.write_byte_tokenizer(kAround).write("chat_template.jinja", kTemplate);
  Asked ask(loaded(folder));
  std::string const messages = R"("messages": [{"role": "user", "content": "é<end>"}])";
  EXPECT_EQ(ask(ApiKind::chat, "{" + messages + "}"), "ué$$a");
  EXPECT_EQ(ask(ApiKind::chat, "{" + messages + R"(, "add_special_tokens": true})"), "[300]ué$$a[301]");
  EXPECT_EQ(ask(ApiKind::messages, R"({"max_tokens": 5, )" + messages + "}"), "ué$$a");
  EXPECT_EQ(ask(ApiKind::responses, R"({"input": "x"})"), "[300]ux$a[301]");
  EXPECT_EQ(ask(ApiKind::completions, R"({"prompt": "x"})"), "[300]x[301]");
  EXPECT_EQ(ask(ApiKind::completions, R"({"prompt": ["x", "y"], "add_special_tokens": false})"), "x|y");
  EXPECT_EQ(ask(ApiKind::completions, R"({"prompt": [[120], [121, 256]]})"), "x|y$");
  EXPECT_EQ(ask(ApiKind::embeddings, "{" + messages + "}"), "ué$$");
  EXPECT_EQ(ask(ApiKind::speech, "{}"), "unknown: api");
  EXPECT_EQ(ask(ApiKind::score, R"({"text_1": "q", "text_2": "d"})"), "unknown: pair_format");
}

TEST(PromptTokens, PairsWithSeparators) {
  test::ModelFolder folder;
  folder.write_byte_tokenizer(kAround).write("config.json", R"({"architectures": ["BertForSequenceClassification"]})");
  Asked ask(loaded(folder));
  EXPECT_EQ(ask(ApiKind::rerank, R"({"query": "q", "documents": ["d", "e"]})"), "[300]q[301]d[301]|[300]q[301]e[301]");
  EXPECT_EQ(ask(ApiKind::rerank, R"({"query": "q", "documents": "d", "truncate_prompt_tokens": 3})"),
            "unknown: truncation");
  EXPECT_EQ(ask(ApiKind::chat, R"({"messages": [{"role": "user", "content": "a"}]})"), "unknown: no_template");
}

TEST(PromptTokens, Truncation) {
  test::ModelFolder folder;
  folder.write_byte_tokenizer(kAround).write("chat_template.jinja", kTemplate);
  Asked ask(loaded(folder, EngineOptions{.max_model_len = 5}));
  Asked unbounded(loaded(folder));
  auto const body = [](std::string const& field, std::string const& more) {
    return "{\"" + field + R"(": "abcdefgh", "add_special_tokens": false, )" + more + "}";
  };
  EXPECT_EQ(ask(ApiKind::completions, body("prompt", R"("truncate_prompt_tokens": 3)")), "fgh");
  EXPECT_EQ(ask(ApiKind::completions, body("prompt", R"("truncate_prompt_tokens": 9)")), "abcdefgh");
  EXPECT_EQ(ask(ApiKind::completions, body("prompt", R"("truncate_prompt_tokens": 3, "truncation_side": "right")")),
            "abc");
  EXPECT_EQ(ask(ApiKind::completions, body("prompt", R"("truncate_prompt_tokens": -1)")), "efgh");
  EXPECT_EQ(ask(ApiKind::embeddings, body("input", R"("truncate_prompt_tokens": -1)")), "abcde");
  EXPECT_EQ(ask(ApiKind::completions, R"({"prompt": [97, 98, 99], "truncate_prompt_tokens": 2})"), "bc");
  EXPECT_EQ(ask(ApiKind::completions, R"({"prompt": "abc", "truncate_prompt_tokens": 4})"), "unknown: truncation");
  EXPECT_EQ(unbounded(ApiKind::completions, body("prompt", R"("truncate_prompt_tokens": -1)")), "unknown: truncation");
  EXPECT_EQ(unbounded(ApiKind::responses, R"({"input": "x", "truncation": "auto"})"), "unknown: truncation");
}

TEST(PromptTokens, BeforeTheFirstImageUpToACertainToken) {
  test::ModelFolder folder;
  folder.write_byte_tokenizer().write("chat_template.jinja", kTemplate);
  Asked ask(loaded(folder));
  std::string const image = R"({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]})";
  EXPECT_EQ(ask(ApiKind::chat, R"({"messages": [{"role": "user", "content": "abc"}, )" + image + "]}"),
            "prefix: uabc$");
  EXPECT_EQ(ask(ApiKind::chat, R"({"messages": [)" + image + "]}"), "unknown: media");
}

/// An object in an object, 80 deep.
std::string deep_schema() {
  std::string out = "{}";
  for (int i = 0; i < 80; ++i) out = R"({"type": "object", "properties": {"a": )" + out + "}}";
  return out;
}

TEST(PromptTokens, Harmony) {
  test::ModelFolder folder;
  folder.write_byte_tokenizer("null", {"<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|call|>"})
      .write("config.json", R"({"model_type": "gpt_oss"})");
  Asked ask(loaded(folder, EngineOptions{.system_start_date = "2025-03-09"}));
  // What the client spells is text, however special it looks: 258 is <|end|>.
  std::string const answer = ask(ApiKind::chat, R"({"messages": [{"role": "user", "content": "<|end|><end>"}]})");
  EXPECT_TRUE(answer.starts_with("[257]system[259]You are ChatGPT")) << answer;
  EXPECT_TRUE(answer.ends_with("[258][257]user[259]<|end|><end>[258][257]assistant")) << answer;
  EXPECT_EQ(ask(ApiKind::completions, R"({"prompt": "<|end|>"})"), "[258]");
  // Indentation makes text of depth times size: bounded.
  std::string many;
  for (int i = 0; i < 1500; ++i)
    many += (i > 0 ? "," : "") + std::string(R"({"function": {"name": "f", "parameters": )") + deep_schema() + "}}";
  EXPECT_EQ(ask(ApiKind::chat, R"({"messages": [{"role": "user", "content": "a"}], "tools": [)" + many + "]}"),
            "unknown: size");
}

TEST(PromptTokens, HostileBodies) {
  test::ModelFolder folder;
  folder.write_byte_tokenizer().write("chat_template.jinja", kTemplate);
  Asked ask(loaded(folder));
  std::string const deep(100'000, '[');
  std::vector<std::string> const bodies{"",
                                        "x",
                                        "[]",
                                        "5",
                                        "{",
                                        deep,
                                        "{\"messages\": " + deep,
                                        "\xff\xfe",
                                        "{\"a\": \"\xff\"}",
                                        R"({"messages": "\ud800"})",
                                        R"({"messages": [{"role": "user", "content": "\ud800"}]})"};
  for (ApiKind api : {ApiKind::chat, ApiKind::completions, ApiKind::responses, ApiKind::messages, ApiKind::embeddings,
                      ApiKind::score, ApiKind::batch_chat}) {
    for (std::string const& body : bodies) {
      EXPECT_EQ(ask(api, body), "unknown: body") << body.substr(0, 40);
    }
    for (char const* body :
         {"{}", R"({"messages": 5, "input": 5, "prompt": 5})", R"({"messages": [[]], "input": [[]], "prompt": [[]]})",
          R"({"messages": [null], "input": [null], "prompt": [null], "system": 5, "tools": 5})"}) {
      std::string const answer = ask(api, body);
      EXPECT_TRUE(answer.starts_with("refused") || answer.starts_with("unknown") || answer.empty()) << body << answer;
    }
  }
  std::string many = R"({"messages": [)";
  for (int i = 0; i < 20'000; ++i) many += R"({"role": "user", "content": "a"},)";
  many.back() = ']';
  EXPECT_EQ(ask(ApiKind::chat, many + "}", {.arena_bytes = 100'000}), "unknown: body");
  EXPECT_EQ(ask(ApiKind::chat, many + "}").size(), 3 * 20'000u + 1);
}

TEST(ModelAssets, Errors) {
  test::ModelFolder folder;
  EXPECT_FALSE(ModelAssets::load(folder.path(), {}));
  folder.write_byte_tokenizer().write("chat_template.jinja", "{% if %}");
  auto const assets = ModelAssets::load(folder.path(), {});
  ASSERT_FALSE(assets);
  EXPECT_NE(assets.error().message.find("chat template"), std::string::npos);
  folder.write("chat_template.jinja", "x").write("config.json", "[");
  EXPECT_FALSE(ModelAssets::load(folder.path(), {}));
}

}  // namespace
}  // namespace kvgate::text
