#include "text/bpe/byte_level_encoder.hpp"

#include <gmock/gmock.h>

#include "unit/bpe/test_models.hpp"

namespace kvgate::text::bpe {
namespace {

using testing::ElementsAre;
using testing::NotNull;

constexpr SplitPattern kPatterns[] = {SplitPattern::gpt2,  SplitPattern::cl100k, SplitPattern::qwen2,
                                      SplitPattern::qwen3_5, SplitPattern::o200k, SplitPattern::tekken,
                                      SplitPattern::deepseek_v3};

Ids encode(SegmentEncoder const& encoder, std::string_view text, Scratch& scratch) {
  Ids out;
  encoder.encode({text}, scratch, out);
  return out;
}

/// Whole words first if the model says so, else merging from bytes.
Ids slowly(ModelSpec const& model, SplitPattern pattern, std::string_view text) {
  SlowMerges const merges(model.merges);
  Ids out;
  for_each_piece(pattern, text, [&](std::string_view piece) {
    std::string spelled;
    for (char c : piece) spelled += byte_character(static_cast<unsigned char>(c));
    auto const whole = model.vocabulary.find(spelled);
    auto const ids = model.ignore_merges && whole ? Ids{*whole} : merges.merge(byte_ids(piece));
    out.insert(out.end(), ids.begin(), ids.end());
  });
  return out;
}

TEST(ByteLevelEncoder, EqualsSlowMerging) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    auto model = byte_level_model(seed);
    model.ignore_merges = seed % 2 == 1;
    auto const pattern = kPatterns[seed % std::size(kPatterns)];
    auto const encoder = make_byte_level_encoder(model, pattern);
    ASSERT_THAT(encoder, NotNull());
    Scratch scratch;  // used again: what it remembers is right as well
    RandomText random(seed + 50);
    for (int i = 0; i < rounds(150); ++i) {
      auto const text = random.next(i % 10 == 0 ? 300 : 30);
      ASSERT_EQ(encode(*encoder, text, scratch), slowly(model, pattern, text)) << text;
    }
  }
}

TEST(ByteLevelEncoder, CharactersMergeAcrossTheirEdgesInAnyOrder) {
  // Merges among the bytes of few characters: inside of them, across their edges, sooner and later.
  std::vector<std::string> const letters{"\u4e2d", "\u4e00", "\u0434", "a", "\U0001f600"};
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::vector<std::string> alphabet;
    for (unsigned b = 0; b < 256; ++b) alphabet.push_back(byte_character(static_cast<unsigned char>(b)));
    ModelMaker maker(seed, alphabet);
    auto const word = [&] {
      std::string out;
      for (int i = 0; i < 6; ++i) out += letters[maker.texts().below(letters.size())];
      return out;
    };
    std::vector<Ids> words;
    for (int i = 0; i < 8; ++i) words.push_back(byte_ids(word()));
    maker.grow(std::move(words), 30);
    std::vector<std::string> texts;
    for (int i = 0; i < rounds(40); ++i) texts.push_back(word());
    auto const model = std::move(maker).finish();
    auto const encoder = make_byte_level_encoder(model, SplitPattern::gpt2);
    Scratch scratch;
    for (auto const& text : texts) ASSERT_EQ(encode(*encoder, text, scratch), slowly(model, SplitPattern::gpt2, text));
  }
}

TEST(ByteLevelEncoder, TokensThatMergingDoesNotReachAreFoundOnlyWithIgnoreMerges) {
  auto model = byte_level_model(1, 0);
  model.vocabulary.insert("hello", 300);
  model.vocabulary.insert("averyveryverylongword", 301);
  Scratch scratch;
  auto const merging = make_byte_level_encoder(model, SplitPattern::cl100k);
  EXPECT_EQ(encode(*merging, "hello averyveryverylongword", scratch), byte_ids("hello averyveryverylongword"));
  model.ignore_merges = true;
  auto const whole = make_byte_level_encoder(model, SplitPattern::cl100k);
  EXPECT_THAT(encode(*whole, "hello\naveryveryverylongword", scratch), ElementsAre(300, '\n', 301));
}

TEST(ByteLevelEncoder, AScratchServesOneEncoderAfterTheOther) {
  auto const one = make_byte_level_encoder(byte_level_model(1), SplitPattern::gpt2);
  auto const two = make_byte_level_encoder(byte_level_model(2), SplitPattern::gpt2);
  Scratch shared, fresh;
  RandomText random(9);
  for (int i = 0; i < 50; ++i) {
    auto const text = random.next();
    encode(*one, text, shared);
    ASSERT_EQ(encode(*two, text, shared), encode(*two, text, fresh));
  }
}

TEST(ByteLevelEncoder, HugeWords) {
  auto const encoder = make_byte_level_encoder(byte_level_model(3), SplitPattern::qwen2);
  auto const model = byte_level_model(3);
  Scratch scratch;
  for (std::string const& text : {std::string(1 << 20, 'a'), std::string(3000, '-') + "\n", std::string(500, ' ')}) {
    auto const ids = encode(*encoder, text, scratch);
    EXPECT_FALSE(ids.empty());
    if (text.size() < 5000) {
      EXPECT_EQ(ids, slowly(model, SplitPattern::qwen2, text));
    }
  }
}

TEST(ByteLevelEncoder, ModelsThatItDoesNotKnow) {
  auto const refused = [](auto change) {
    auto model = byte_level_model(1);
    change(model);
    return make_byte_level_encoder(model, SplitPattern::gpt2) == nullptr;
  };
  EXPECT_FALSE(refused([](ModelSpec&) {}));
  EXPECT_TRUE(refused([](ModelSpec& model) { model.kind = ModelKind::word_piece; }));
  EXPECT_TRUE(refused([](ModelSpec& model) { model.end_of_word_suffix = "</w>"; }));
  EXPECT_TRUE(refused([](ModelSpec& model) { model.continuing_subword_prefix = "##"; }));
  EXPECT_TRUE(refused([](ModelSpec& model) { model.vocabulary.insert("x", 1U << 20); }));
  EXPECT_TRUE(refused([](ModelSpec& model) { model.vocabulary = {}; }));
}

}  // namespace
}  // namespace kvgate::text::bpe
