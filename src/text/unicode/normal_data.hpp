// What HuggingFace `tokenizers` knows of code points, as its normalizers and pre-tokenizers showed it to
// scripts/dump-unicode-normal.py. Raw material of text/unicode/normal.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "text/unicode/classes.hpp"

namespace kvgate::text::normal_data {

struct ValuedRange {
  char32_t first, last;
  std::uint32_t value;
};

struct Composition {
  char32_t first, second, composed;
};

/// Each `step`-th code point from first to last becomes the one at that distance.
struct LowerRun {
  char32_t first, last;
  std::uint32_t step;
  std::int32_t distance;
};

extern std::span<ValuedRange const> const kCombiningClasses;
extern std::span<char32_t const> const kDecompositions;  ///< code point, length (+ 128: compatible only), code points
extern std::span<Composition const> const kCompositions;
extern std::span<LowerRun const> const kLowerRuns;  ///< without U+0130, which becomes two
extern std::span<CodeRange const> const kStripAccents;
extern std::span<CodeRange const> const kBertRemoved;  ///< by clean_text
extern std::span<CodeRange const> const kBertSpaced;   ///< by handle_chinese_chars
extern std::span<CodeRange const> const kBertMarks;    ///< removed by strip_accents, after NFD
extern std::span<CodeRange const> const kPunctuation;
extern std::span<CodeRange const> const kNumeric;      ///< of Digits
extern std::span<CodeRange const> const kRegexWord;    ///< \w of Whitespace and single_word; not that of patterns
extern std::span<ValuedRange const> const kScripts;    ///< of UnicodeScripts; 0: goes with any
extern std::span<ValuedRange const> const kGraphemes;  ///< Grapheme, text/unicode/normal.hpp
extern std::span<CodeRange const> const kConjunctExtend;
extern std::span<CodeRange const> const kConjunctLinker;

}  // namespace kvgate::text::normal_data
