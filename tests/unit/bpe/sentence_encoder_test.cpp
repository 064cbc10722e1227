#include "text/bpe/sentence_encoder.hpp"

#include <gmock/gmock.h>

#include "unit/bpe/test_models.hpp"

namespace kvgate::text::bpe {
namespace {

using testing::IsNull;
using testing::NotNull;

constexpr auto kBlank = "\u2581";

std::string byte_token(unsigned char byte) {
  char name[8];
  std::snprintf(name, sizeof name, "<0x%02X>", byte);
  return name;
}

std::vector<std::string> make_alphabet() {
  std::vector<std::string> out{"<unk>", kBlank};
  for (unsigned b = 0; b < 256; ++b) out.push_back(byte_token(static_cast<unsigned char>(b)));
  for (char c = '!'; c < '\x7f'; ++c) out.emplace_back(1, c);
  for (auto const c : {"\u00e9", "\u0434", "\u4e2d", "\u4e00", "\u3042", "\U0001f600"}) out.emplace_back(c);
  return out;
}

std::vector<std::string> const& alphabet() {
  static auto const tokens = make_alphabet();
  return tokens;
}

Ids first_ids(Vocabulary const& vocabulary, std::string_view text) {
  Ids out;
  while (!text.empty()) {
    auto const c = text.substr(0, utf8_step(text).length);
    if (auto const id = vocabulary.find(c == " " ? std::string_view(kBlank) : c))
      out.push_back(*id);
    else
      for (char byte : c) out.push_back(*vocabulary.find(byte_token(static_cast<unsigned char>(byte))));
    text.remove_prefix(c.size());
  }
  return out;
}

ModelSpec sentence_model(unsigned seed, int merges = 300) {
  ModelMaker maker(seed, alphabet());
  Vocabulary letters;
  for (auto const& token : alphabet()) letters.insert(token, static_cast<std::uint32_t>(letters.size()));
  std::vector<Ids> words;
  // Bytes do not merge: only texts whose characters all are in the vocabulary.
  constexpr std::size_t first_letter = 2 + 256;
  for (int i = 0; i < 60; ++i) {
    std::string text(maker.texts().below(3), ' ');
    for (int n = 0; n < 12; ++n) {
      text += alphabet()[first_letter + maker.texts().below(alphabet().size() - first_letter)];
    }
    words.push_back(first_ids(letters, text + " the word and of " + text));
  }
  maker.grow(std::move(words), merges);
  auto model = std::move(maker).finish();
  model.byte_fallback = model.fuse_unk = true;
  return model;
}

TokenizerSpec with_model(ModelSpec model) {
  TokenizerSpec spec;
  spec.model = std::move(model);
  return spec;
}

TokenizerSpec prepended(ModelSpec model) {
  auto spec = with_model(std::move(model));
  spec.normalizers = {PrependNormalizer{kBlank}, ReplaceNormalizer{{false, " "}, kBlank}};
  return spec;
}

TokenizerSpec metaspace(ModelSpec model, PrependScheme scheme, bool split = false) {
  auto spec = with_model(std::move(model));
  spec.pre_tokenizers = {MetaspacePreTokenizer{.scheme = scheme, .split = split}};
  return spec;
}

Ids encode(SegmentEncoder const& encoder, Segment segment, Scratch& scratch) {
  Ids out;
  encoder.encode(segment, scratch, out);
  return out;
}

TEST(SentenceEncoder, EqualsSlowMergingOfTheWholeText) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    auto const spec = metaspace(sentence_model(seed), PrependScheme::never);
    auto const encoder = make_sentence_encoder(spec);
    ASSERT_THAT(encoder, NotNull());
    SlowMerges const merges(spec.model.merges);
    Scratch scratch;
    RandomText random(seed);
    for (int i = 0; i < rounds(150); ++i) {
      auto const text = random.next(i % 10 == 0 ? 200 : 30);
      ASSERT_EQ(encode(*encoder, {text}, scratch), merges.merge(first_ids(spec.model.vocabulary, text))) << text;
    }
  }
}

TEST(SentenceEncoder, BlanksBeforeTheText) {
  auto const model = [] { return sentence_model(1, 0); };
  struct Case {
    char const* name;
    TokenizerSpec spec;
    std::string_view text;
    bool at_start;
    std::string_view same_as;  ///< the symbols are those of this
  };
  std::vector<Case> cases;
  cases.push_back({"prepend", prepended(model()), "a b", true, " a b"});
  cases.push_back({"prepend to a blank", prepended(model()), " a", false, "  a"});
  cases.push_back({"prepend to nothing", prepended(model()), "", true, ""});
  cases.push_back({"always", metaspace(model(), PrependScheme::always), "a\u2581b", false, " a b"});
  cases.push_back({"always, there", metaspace(model(), PrependScheme::always), " a", true, " a"});
  cases.push_back({"always, written", metaspace(model(), PrependScheme::always), "\u2581a", true, " a"});
  cases.push_back({"first", metaspace(model(), PrependScheme::first), "a", true, " a"});
  cases.push_back({"not first", metaspace(model(), PrependScheme::first), "a", false, "a"});
  cases.push_back({"never", metaspace(model(), PrependScheme::never), "a", true, "a"});
  for (auto const& c : cases) {
    auto const encoder = make_sentence_encoder(c.spec);
    ASSERT_THAT(encoder, NotNull()) << c.name;
    EXPECT_TRUE(encoder->normalizes());
    Scratch scratch;
    EXPECT_EQ(encode(*encoder, {c.text, c.at_start}, scratch), first_ids(c.spec.model.vocabulary, c.same_as)) << c.name;
  }
}

TEST(SentenceEncoder, PipelinesThatItDoesNotKnow) {
  auto const model = [] { return sentence_model(1, 10); };
  EXPECT_THAT(make_sentence_encoder(with_model(model())), IsNull());
  EXPECT_THAT(make_sentence_encoder(metaspace(model(), PrependScheme::always, true)), IsNull());
  auto without_bytes = model();
  without_bytes.byte_fallback = false;
  EXPECT_THAT(make_sentence_encoder(metaspace(std::move(without_bytes), PrependScheme::always)), IsNull());
  auto merges_bytes = model();
  merges_bytes.merges.push_back({2, 3, 4});
  EXPECT_THAT(make_sentence_encoder(metaspace(std::move(merges_bytes), PrependScheme::always)), IsNull());
  auto more = prepended(model());
  more.normalizers.insert(more.normalizers.begin(), NormalizerSpec(Lowercase{}));
  EXPECT_THAT(make_sentence_encoder(more), IsNull());
}

}  // namespace
}  // namespace kvgate::text::bpe
