#include <gtest/gtest.h>

#include "text/chat/anthropic_probe.hpp"
#include "text/chat/model_kind.hpp"
#include "text/chat/pair_format.hpp"
#include "text/chat/special_tokens.hpp"
#include "text/chat/template_sources.hpp"
#include "unit/chat/model_folder.hpp"
#include "unit/chat/shown.hpp"

namespace kvgate::text {
namespace {

TEST(SpecialTokens, AsTransformersHasThem) {
  struct Row {
    std::string tokenizer_config, special_tokens_map, config, expected;
  };
  std::vector<Row> const table{
      {R"({"bos_token": "<s>", "eos_token": {"content": "</s>"}, "pad_token": null})", "", "", "bos=<s> eos=</s> "},
      {R"({"bos_token": "<s>"})", R"({"bos_token": {"content": "<b>"}, "eos_token": "</b>"})", "", "bos=<b> eos=</b> "},
      {R"({"bos_token": "<s>", "added_tokens_decoder": {}})", R"({"bos_token": "<b>"})", "", "bos=<s> "},
      {R"({"tokenizer_class": "LlamaTokenizerFast"})", "", "", "bos=<s> eos=</s> unk=<unk> "},
      {R"({"tokenizer_class": "LlamaTokenizer", "unk_token": null})", "", "", "bos=<s> eos=</s> "},
      {R"({"tokenizer_class": "LlamaTokenizer"})", "", R"({"model_type": "mistral"})", ""},
      {R"({})", "", R"({"model_type": "qwen3"})", "eos=<|endoftext|> unk=<|endoftext|> pad=<|endoftext|> "},
      {R"({"image_token": "<image>", "extra_special_tokens": {"boi_token": "<boi>"}})", "", "",
       "image=<image> boi=<boi> "},
  };
  for (Row const& row : table) {
    test::Texts texts;
    auto const tokens = special_tokens(
        {texts.parsed(row.tokenizer_config), texts.parsed(row.special_tokens_map), texts.parsed(row.config)});
    std::string said;
    for (auto const& [name, text] : tokens) said += name.substr(0, name.find("_token")) + "=" + text + " ";
    EXPECT_EQ(said, row.expected) << row.tokenizer_config;
  }
}

std::string found(test::ModelFolder const& folder, std::string const& config, std::string const& given = "") {
  test::Texts texts;
  auto const sources = find_templates(folder.path(), texts.parsed(config), given);
  if (!sources) return sources.error().message;
  return sources->plain.value_or("none") + " " + sources->with_tools.value_or("-");
}

TEST(TemplateSources, InOrder) {
  test::ModelFolder folder;
  std::string const named =
      R"({"chat_template": [{"name": "default", "template": "D"}, {"name": "tool_use", "template": "T"}]})";
  EXPECT_EQ(found(folder, "{}"), "none -");
  EXPECT_EQ(found(folder, R"({"chat_template": "C"})"), "C -");
  EXPECT_EQ(found(folder, named), "D T");
  EXPECT_EQ(found(folder, named, "tool_use"), "T -");
  EXPECT_EQ(found(folder, named, "{{ own }}"), "{{ own }} -");
  folder.write("chat_template.json", R"({"chat_template": "J"})");
  EXPECT_EQ(found(folder, R"({"chat_template": "C"})"), "C -");  // nobody reads it without a processor
  folder.write("preprocessor_config.json", "{}");
  EXPECT_EQ(found(folder, R"({"chat_template": "C"})"), "J C");
  folder.write("chat_template.jinja", "F");
  EXPECT_EQ(found(folder, R"({"chat_template": "C"})"), "F -");
  folder.write("additional_chat_templates/tool_use.jinja", "FT");
  EXPECT_EQ(found(folder, "{}"), "F FT");
}

TEST(ModelKind, Renderers) {
  test::ModelFolder folder;
  struct Row {
    std::string config;
    Renderer expected;
  };
  for (Row const& row : {Row{R"({"model_type": "qwen3"})", Renderer::jinja}, Row{"{}", Renderer::jinja},
                         Row{R"({"model_type": "gpt_oss"})", Renderer::harmony},
                         Row{R"({"model_type": "deepseek_v32"})", Renderer::unsupported},
                         Row{R"({"architectures": ["KimiK3ForConditionalGeneration"]})", Renderer::unsupported}}) {
    test::Texts texts;
    RendererChoice const choice = choose_renderer(folder.path(), texts.parsed(row.config));
    EXPECT_EQ(choice.renderer, row.expected) << row.config;
    EXPECT_EQ(choice.why.empty(), row.expected != Renderer::unsupported) << row.config;
  }
  auto const with_files = [&] { return choose_renderer(folder.path(), Value()).renderer; };
  folder.write("tekken.json", "{}");
  EXPECT_EQ(with_files(), Renderer::unsupported);
  folder.write("model-1.safetensors", "");
  EXPECT_EQ(with_files(), Renderer::jinja);
  folder.write("consolidated.safetensors", "");
  EXPECT_EQ(with_files(), Renderer::unsupported);
}

TEST(ModelKind, ScoringAndLowerCase) {
  struct Row {
    std::string config;
    bool given;
    Scoring expected;
  };
  std::string const classifier = R"("architectures": ["BertForSequenceClassification"])";
  for (Row const& row : {Row{"{}", false, Scoring::unknown}, Row{"{" + classifier + "}", false, Scoring::pairs},
                         Row{"{" + classifier + "}", true, Scoring::rendered},
                         Row{"{" + classifier + R"(, "use_sep_token": false})", false, Scoring::joined},
                         Row{"{" + classifier + R"(, "method": "from_2_way_softmax"})", false, Scoring::joined},
                         Row{R"({"architectures": ["Qwen3ForCausalLM"]})", false, Scoring::apart},
                         Row{R"({"architectures": ["JinaForRanking"]})", false, Scoring::unknown}}) {
    test::Texts texts;
    EXPECT_EQ(choose_scoring(texts.parsed(row.config), row.given), row.expected) << row.config;
  }
  test::ModelFolder folder;
  EXPECT_FALSE(lower_cases(folder.path()));
  folder.write("sentence_bert_config.json", R"({"do_lower_case": true})");
  EXPECT_TRUE(lower_cases(folder.path()));
}

TEST(PairFormat, PostProcessors) {
  struct Row {
    std::string processor, expected;
  };
  std::string const in_template =
      R"({"type": "TemplateProcessing", "pair": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
          {"Sequence": {"id": "B", "type_id": 1}}], "special_tokens": {"<s>": {"ids": [1, 2]}}})";
  for (Row const& row :
       {Row{"null", "A B "}, Row{R"({"type": "ByteLevel"})", "A B "}, Row{in_template, "1 2 A B "},
        Row{R"({"type": "BertProcessing", "sep": ["s", 6], "cls": ["c", 5]})", "5 A 6 B 6 "},
        Row{R"({"type": "RobertaProcessing", "sep": ["s", 6], "cls": ["c", 5]})", "5 A 6 6 B 6 "},
        Row{R"({"type": "Sequence", "processors": [{"type": "ByteLevel"}, )" + in_template + "]}", "1 2 A B "},
        Row{R"({"type": "Odd"})", "refused"}, Row{R"({"type": "TemplateProcessing"})", "refused"}}) {
    auto const format = parse_pair_format(R"({"post_processor": )" + row.processor + "}");
    std::string said;
    for (auto const& piece : format ? format->pieces : std::vector<PairFormat::Piece>()) {
      using Kind = PairFormat::Piece::Kind;
      said += (piece.kind == Kind::first ? "A" : piece.kind == Kind::second ? "B" : std::to_string(piece.id)) + " ";
    }
    EXPECT_EQ(format ? said : "refused", row.expected) << row.processor;
  }
}

TEST(AnthropicProbe, LooksAtTheTemplate) {
  struct Row {
    std::string source, effort;
    bool merges;
  };
  std::string const strict =
      "{% for m in messages %}{% if m.role == 'system' and not loop.first %}{{ raise_exception('no') }}{% endif %}{% "
      "endfor %}";
  for (Row const& row :
       {Row{"{{ messages }}{{ reasoning_effort }}", "none", false}, Row{strict, "low", true},
        Row{"{{ strftime_now('%Y') }}{{ enable_thinking }}", "none", true},
        Row{"{% if reasoning_effort == 'none' %}{{ raise_exception('no') }}{% endif %}", "low", false}}) {
    PromptModel model;
    model.templates.plain = *make_chat_template(row.source, std::nullopt);
    EXPECT_EQ(merges_inline_system(model), row.merges) << row.source;
    EXPECT_EQ(probe_disabled_effort(model), row.effort) << row.source;
  }
}

}  // namespace
}  // namespace kvgate::text
