#include "text/spec/load.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "text/spec/json.hpp"
#include "unit/tokenizer/json.hpp"

namespace kvgate::text {
namespace {

using test::File;
using testing::HasSubstr;

std::string problem(std::string const& json) {
  auto const spec = parse_tokenizer_spec(json);
  return spec.has_error() ? spec.error().message : "";
}

TEST(Load, WhatIsNotKnownIsNamed) {
  struct Case {
    File file;
    std::string says;
  };
  std::string const vocabulary = R"("vocab":{"a":0,"b":1})";
  std::vector<Case> const table{
      {{.normalizer = R"({"type":"Foo"})"}, R"(normalizer: type "Foo")"},
      {{.normalizer = R"({"strip_left":true})"}, R"(normalizer: "type" is missing)"},
      {{.normalizer = R"({"type":"Strip","strip_left":true})"}, R"(Strip: "strip_right" is missing)"},
      {{.normalizer = R"({"type":"Strip","strip_left":1,"strip_right":true})"},
       R"(Strip: "strip_left" must be true or false)"},
      {{.normalizer = R"({"type":"Prepend","prepend":""})"}, "Prepend"},
      {{.normalizer = R"({"type":"Replace","pattern":{"Glob":"a"},"content":""})"}, R"(Replace: "pattern")"},
      {{.normalizer = R"({"type":"Precompiled","precompiled_charsmap":"*"})"}, "not base64"},
      {{.normalizer = "[]"}, "normalizer must be an object"},
      {{.pre_tokenizer = R"({"type":"Foo\nBar"})"}, R"(pre_tokenizer: type "Foo Bar")"},
      {{.pre_tokenizer = R"({"type":"Split","pattern":{"String":"a"},"behavior":"Odd","invert":false})"},
       R"(Split: behavior "Odd")"},
      {{.pre_tokenizer = R"({"type":"Metaspace","replacement":"ab"})"},
       R"(Metaspace: "replacement" must be one character)"},
      {{.pre_tokenizer = R"({"type":"Metaspace","replacement":"_","add_prefix_space":false})"}, "add_prefix_space"},
      {{.pre_tokenizer = R"({"type":"Metaspace","replacement":"_","prepend_scheme":"sometimes"})"}, "prepend_scheme"},
      {{.pre_tokenizer = R"({"type":"FixedLength","length":0})"}, "FixedLength"},
      {{.post_processor = R"({"type":"Foo"})"}, R"(post_processor: type "Foo")"},
      {{.post_processor = R"({"type":"BertProcessing","sep":["s"],"cls":["c",1]})"}, R"(BertProcessing: "sep")"},
      {{.post_processor =
            R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"X"}}],"special_tokens":{}})"},
       R"("X")"},
      {{.post_processor = R"({"type":"TemplateProcessing","single":[{"Sequence":{"id":"B"}}],"special_tokens":{}})"},
       R"(sequence "B")"},
      {{.added_tokens = R"([{"id":0,"content":"x"}])"}, R"(added_tokens: "single_word" is missing)"},
      {{.added_tokens = "7"}, "added_tokens must be a list"},
      {{.model = R"({"type":"Foo"})"}, R"(model: type "Foo")"},
      {{.model = R"({"type":"BPE","merges":[]})"}, R"(BPE: "vocab" is missing)"},
      {{.model = R"({"type":"BPE",)" + vocabulary + "}"}, R"(BPE: "merges" is missing)"},
      {{.model = R"({"type":"BPE",)" + vocabulary + R"(,"merges":["a b"]})"},
       R"(merge token "ab" is not in the vocabulary)"},
      {{.model = R"({"type":"BPE",)" + vocabulary + R"(,"merges":["a b c"]})"}, "not two tokens"},
      {{.model = R"({"type":"BPE",)" + vocabulary + R"(,"merges":[["a"]]})"}, "not two tokens"},
      {{.model = R"({"type":"BPE",)" + vocabulary + R"(,"merges":[["a","b"],"a b"]})"}, "merge"},
      {{.model = R"({"type":"BPE",)" + vocabulary + R"(,"merges":[],"dropout":0.1})"}, "dropout"},
      {{.model = R"({"type":"BPE","vocab":{"a":4294967296},"merges":[]})"}, R"(the id of "a")"},
      {{.model = R"({"type":"BPE","vocab":{"a":-1},"merges":[]})"}, R"(the id of "a")"},
      {{.model = R"({"type":"BPE","vocab":{"a":1.0},"merges":[]})"}, R"(the id of "a")"},
      {{.model = R"({"type":"WordPiece",)" + vocabulary + R"(,"unk_token":"a","max_input_chars_per_word":9})"},
       "continuing_subword_prefix"},
      {{.model = R"({"type":"Unigram","vocab":[["a"]]})"}, "[token, score]"},
      {{.model = R"({"type":"Unigram","vocab":[["a","b"]]})"}, "score"},
      {{.model = R"({"type":"Unigram","vocab":[["a",0]],"unk_id":1})"}, "unk_id"},
      {{.model = "3"}, "tokenizer.json"},
  };
  for (Case const& c : table) EXPECT_THAT(problem(c.file.json()), HasSubstr(c.says)) << c.file.json();
}

TEST(Load, OtherFiles) {
  EXPECT_THAT(problem("{}"), HasSubstr("model: is missing"));
  EXPECT_THAT(problem(R"({"version":"2.0"})"), HasSubstr("version"));
  EXPECT_NE(problem(""), "");
  EXPECT_NE(problem("[1,2"), "");
  EXPECT_NE(problem("{\"model\":{\"type\":\"BPE\",\"vocab\":{\"\xff\":1},\"merges\":[]}}"), "");
}

TEST(Load, DeepNestingIsBounded) {
  std::string deep = "null";
  for (int i = 0; i < 100; ++i)
    deep = R"({"type":"Sequence","normalizers":[)" + (i == 0 ? R"({"type":"NFC"})" : deep) + "]}";
  EXPECT_THAT(problem(File{.normalizer = deep}.json()), HasSubstr("too deep"));
  EXPECT_NE(problem(R"({"normalizer":)" + std::string(100000, '[')), "");
}

TEST(Load, SequencesAreFlattened) {
  TokenizerSpec const spec =
      File{
          .normalizer =
              R"({"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Sequence","normalizers":[{"type":"Nmt"}]}]})",
          .pre_tokenizer = R"({"type":"Sequence","pretokenizers":[{"type":"Whitespace"},{"type":"UnicodeScripts"}]})"}
          .spec();
  ASSERT_EQ(spec.normalizers.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<NmtNormalizer>(spec.normalizers[1]));
  EXPECT_EQ(spec.pre_tokenizers.size(), 2u);
}

TEST(Load, ModelsWithoutATypeAreToldByTheirMembers) {
  auto const kind = [](std::string const& model) { return File{.model = model}.spec().model.kind; };
  EXPECT_EQ(kind(R"({"vocab":{},"merges":[]})"), ModelKind::bpe);
  EXPECT_EQ(kind(R"({"vocab":{},"unk_token":"a","continuing_subword_prefix":"","max_input_chars_per_word":1})"),
            ModelKind::word_piece);
  EXPECT_EQ(kind(R"({"vocab":{},"unk_token":"a"})"), ModelKind::word_level);
  EXPECT_EQ(kind(R"({"vocab":[]})"), ModelKind::unigram);
}

TEST(Load, OfEqualNamesTheLastCounts) {
  TokenizerSpec const spec =
      File{.model = R"({"type":"BPE","vocab":{"a":1,"b":2,"a":3},"merges":[],"vocab":{"x":1,"x":7}})"}.spec();
  EXPECT_EQ(spec.model.vocabulary_size, 1u);
  EXPECT_EQ(spec.model.vocabulary.find("x"), 7u);
}

// What the library reads, bit for bit; the nearest double is another one for the second half.
TEST(Load, ScoresAreReadAsTheLibraryDoes) {
  struct Case {
    std::string text;
    double value;
  };
  std::vector<Case> const table{
      {"-1", -1},
      {"-0.5", -0.5},
      {"12.25e1", 122.5},
      {"1e308", 1e308},
      {"1e-400", 0},
      {"18446744073709551616", 18446744073709551616.0},
      {"-19.074391500080636083", -19.074391500080633},
      {"-8.398754e-17", -8.398754000000001e-17},
      {"-7.5189991330361481", -7.518999133036149},
      {"-10.0177548659716638049837986", -10.017754865971662},
  };
  for (Case const& c : table) EXPECT_EQ(spec::number_like_library(c.text), c.value) << c.text;
  EXPECT_THROW(spec::number_like_library("1e309"), SpecError);
  EXPECT_THROW(spec::number_like_library("true"), SpecError);
}

TEST(Load, Base64) {
  EXPECT_EQ(spec::decode_base64("", "x"), "");
  EXPECT_EQ(spec::decode_base64("YQ==", "x"), "a");
  EXPECT_EQ(spec::decode_base64("YWI=", "x"), "ab");
  EXPECT_EQ(spec::decode_base64("YWJj", "x"), "abc");
  for (char const* broken : {"Y", "YQ", "Y=Q=", "YQ=a", "Y Q="})
    EXPECT_THROW(spec::decode_base64(broken, "x"), SpecError) << broken;
}

// Nothing that a file says crashes: any mutation of a good one is read or refused.
TEST(Load, MutatedFilesAreReadOrRefused) {
  std::string const good =
      File{
          .normalizer =
              R"({"type":"Sequence","normalizers":[{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "}]})",
          .pre_tokenizer = R"({"type":"Metaspace","replacement":"\u2581","prepend_scheme":"first","split":true})",
          .post_processor =
              R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"X","type_id":0}},{"Sequence":{"id":"A","type_id":0}}],"pair":[],"special_tokens":{"X":{"id":"X","ids":[1],"tokens":["X"]}}})",
          .added_tokens = "[" + test::added("<s>", "special") + "]",
          .model = R"({"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"],"unk_token":null})"}
          .json();
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (unsigned n = random() % 4; n < 4; ++n) {
      std::size_t const at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text.erase(at, 1 + random() % 8);
          break;
        case 1:
          text[at] = static_cast<char>(random());
          break;
        case 2:
          text.insert(at, 1, R"({}[]",:0-9nt)"[random() % 12]);
          break;
        default:
          text.insert(at, good.substr(random() % good.size(), 10));
      }
      if (text.empty()) text = "x";
    }
    problem(text);
  }
}

TEST(Vocabulary, FindsWhatWasPutIn) {
  Vocabulary vocabulary;
  EXPECT_FALSE(vocabulary.find("a"));
  for (std::uint32_t i = 0; i < 5000; ++i) ASSERT_TRUE(vocabulary.insert("token" + std::to_string(i), i));
  ASSERT_TRUE(vocabulary.insert("", 77));
  ASSERT_TRUE(vocabulary.insert("token7", 99));
  EXPECT_EQ(vocabulary.size(), 5001u);
  EXPECT_EQ(vocabulary.find("token7"), 99u);
  EXPECT_EQ(vocabulary.find("token4999"), 4999u);
  EXPECT_EQ(vocabulary.find(""), 77u);
  EXPECT_FALSE(vocabulary.find("token5000"));
}

TEST(Load, FolderOrFile) {
  auto const folder = std::filesystem::temp_directory_path() / ("kvgate_spec_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "tokenizer.json") << File{}.json();
  EXPECT_TRUE(load_tokenizer_spec(folder).has_value());
  EXPECT_TRUE(load_tokenizer_spec(folder / "tokenizer.json").has_value());
  std::ofstream(folder / "tokenizer.json") << "{}";
  EXPECT_THAT(load_tokenizer_spec(folder).error().message, HasSubstr((folder / "tokenizer.json").string()));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kvgate::text
