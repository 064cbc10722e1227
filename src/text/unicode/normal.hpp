// What normalizers and pre-tokenizers ask of a code point, as HuggingFace `tokenizers` 0.22-0.23 answers it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "text/unicode/two_stage.hpp"

namespace kvgate::text {

/// Properties of a code point, as bits.
enum CharFact : std::uint16_t {
  kStirsNfc = 1,  ///< the form may change it or its neighbours; text without such code points is in the form
  kStirsNfd = 2,
  kStirsNfkc = 4,
  kStirsNfkd = 8,
  kUpper = 16,         ///< Lowercase changes it
  kAccent = 32,        ///< StripAccents removes it
  kBertRemoved = 64,   ///< by clean_text
  kBertSpaced = 128,   ///< by handle_chinese_chars
  kBertMark = 256,     ///< removed by strip_accents
  kPunctuation = 512,  ///< of Punctuation and BertPreTokenizer
  kNumeric = 1024,     ///< of Digits
  kRegexWord = 2048,   ///< \w of Whitespace and single_word
  kWhiteSpace = 4096,
};

/// In the order of the table that the generator writes.
enum class Grapheme : std::uint8_t {
  any,
  cr,
  lf,
  control,
  extend,
  zwj,
  spacing_mark,
  prepend,
  l,
  v,
  t,
  lv,
  lvt,
  regional,
  pictographic,
  consonant
};

class NormalTables {
 public:
  /// Built at first use (some 20 ms), then constant.
  static NormalTables const& get();

  std::uint16_t facts(char32_t c) const noexcept { return facts_[c]; }
  bool is(char32_t c, std::uint16_t any_of) const noexcept { return facts_[c] & any_of; }
  std::uint8_t combining_class(char32_t c) const noexcept { return combining_[c]; }
  std::uint8_t script(char32_t c) const noexcept { return scripts_[c]; }
  Grapheme grapheme(char32_t c) const noexcept { return static_cast<Grapheme>(graphemes_[c] & 0x3f); }
  bool conjunct_extend(char32_t c) const noexcept { return graphemes_[c] & 0x40; }
  bool conjunct_linker(char32_t c) const noexcept { return graphemes_[c] & 0x80; }

  /// One code point; U+0130 becomes two, of which this is the first (the other is U+0307).
  char32_t lower(char32_t c) const noexcept { return static_cast<char32_t>(static_cast<std::int32_t>(c) + lower_[c]); }

  /// The full decomposition; empty where there is none. Hangul is not in it.
  std::u32string_view decomposition(char32_t c, bool compatible) const noexcept;
  std::optional<char32_t> compose(char32_t first, char32_t second) const noexcept;  ///< Hangul too

 private:
  struct Pair {
    std::uint64_t key;
    char32_t composed;
  };

  NormalTables();
  void build_mappings();
  void build_facts();

  TwoStage<std::uint16_t> facts_;
  TwoStage<std::uint8_t> combining_;
  TwoStage<std::uint8_t> scripts_;
  TwoStage<std::uint8_t> graphemes_;
  TwoStage<std::int32_t> lower_;
  TwoStage<std::uint16_t> canonical_;   ///< place in the table of decompositions plus one; 0: none
  TwoStage<std::uint16_t> compatible_;  ///< likewise, the canonical one where there is no other
  std::vector<Pair> pairs_;             ///< by key
};

}  // namespace kvgate::text
