// A tokenizer.json as plain data: read, checked and named, but not compiled. Sequences of components are flattened.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "text/spec/vocabulary.hpp"
#include "text/unicode/normalize.hpp"

namespace kvgate::text {

// ---- models

enum class ModelKind { bpe, word_piece, word_level, unigram };

/// `left` and `right` next to each other become `merged`. The rank is the index in ModelSpec::merges, the lowest goes
/// first; of a pair that is named twice the last counts.
struct Merge {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  std::uint32_t merged = 0;
};

struct ModelSpec {
  ModelKind kind = ModelKind::bpe;
  Vocabulary vocabulary;                 ///< Unigram: the id is the index in the file, the last of equal tokens counts
  std::size_t vocabulary_size = 0;       ///< as the library counts it: where the ids of further added tokens begin
  std::optional<std::string> unk_token;  ///< BPE, WordPiece, WordLevel; need not be in the vocabulary
  // BPE
  std::vector<Merge> merges;
  bool fuse_unk = false;
  bool byte_fallback = false;             ///< Unigram too
  bool ignore_merges = false;             ///< a word that is a token as it stands is that token
  std::string continuing_subword_prefix;  ///< WordPiece too
  std::string end_of_word_suffix;
  // WordPiece
  std::uint64_t max_input_chars_per_word = 0;
  // Unigram
  std::vector<double> scores;  ///< by id
  std::optional<std::uint32_t> unk_id;
};

// ---- patterns

/// A literal text, or a regular expression in Oniguruma's syntax (UTF-8, Ruby rules).
struct PatternSpec {
  bool is_regex = false;
  std::string text;
};

// ---- normalizers

struct NormalizeForm {
  UnicodeForm form = UnicodeForm::nfc;
};
struct Lowercase {};
struct StripAccents {};
struct NmtNormalizer {};
struct ByteLevelNormalizer {};
struct StripNormalizer {
  bool left = true;
  bool right = true;
};
struct ReplaceNormalizer {
  PatternSpec pattern;
  std::string content;
};
struct PrependNormalizer {
  std::string text;
};
struct PrecompiledNormalizer {
  std::string charsmap;
};  ///< decoded from base64
struct BertNormalizer {
  bool clean_text = true;
  bool handle_chinese_chars = true;
  bool strip_accents = true;  ///< null in the file follows lowercase
  bool lowercase = true;
};

using NormalizerSpec =
    std::variant<NormalizeForm, Lowercase, StripAccents, NmtNormalizer, ByteLevelNormalizer, StripNormalizer,
                 ReplaceNormalizer, PrependNormalizer, PrecompiledNormalizer, BertNormalizer>;

// ---- pre-tokenizers

enum class SplitBehavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };
enum class PrependScheme { always, first, never };

struct BertPreTokenizer {};
struct WhitespacePreTokenizer {};
struct WhitespaceSplit {};
struct UnicodeScripts {};
struct ByteLevelPreTokenizer {
  bool add_prefix_space = true;
  bool use_regex = true;
};
struct CharDelimiterSplit {
  char32_t delimiter = U' ';
};
struct MetaspacePreTokenizer {
  char32_t replacement = U'\u2581';
  PrependScheme scheme = PrependScheme::always;
  bool split = true;
};
struct SplitPreTokenizer {
  PatternSpec pattern;
  SplitBehavior behavior = SplitBehavior::isolated;
  bool invert = false;
};
struct PunctuationPreTokenizer {
  SplitBehavior behavior = SplitBehavior::isolated;
};
struct DigitsPreTokenizer {
  bool individual = false;
};
struct FixedLengthPreTokenizer {
  std::uint64_t length = 5;
};  ///< code points, at least 1

using PreTokenizerSpec =
    std::variant<BertPreTokenizer, WhitespacePreTokenizer, WhitespaceSplit, UnicodeScripts, ByteLevelPreTokenizer,
                 CharDelimiterSplit, MetaspacePreTokenizer, SplitPreTokenizer, PunctuationPreTokenizer,
                 DigitsPreTokenizer, FixedLengthPreTokenizer>;

// ---- post-processor

/// What one sequence becomes. Only ids matter here: pairs, offsets and type ids do not.
struct PostPiece {
  bool is_sequence = false;        ///< the text's own ids
  std::vector<std::uint32_t> ids;  ///< else: these, where special tokens are asked for
};

// ---- added tokens

struct AddedTokenSpec {
  std::string content;
  std::uint32_t id = 0;  ///< as the file says; the library numbers them itself (text/tokenizer/added_tokens.hpp)
  bool single_word = false;
  bool lstrip = false;
  bool rstrip = false;
  bool normalized = true;
  bool special = false;
};

struct TokenizerSpec {
  std::vector<AddedTokenSpec> added_tokens;
  std::vector<NormalizerSpec> normalizers;
  std::vector<PreTokenizerSpec> pre_tokenizers;
  std::vector<PostPiece> post;  ///< never empty: one sequence where the file says nothing
  ModelSpec model;
};

}  // namespace kvgate::text
