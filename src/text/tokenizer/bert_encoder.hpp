// BertNormalizer, BertPreTokenizer and WordPiece in one pass over the text.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "text/tokenizer/word_piece_model.hpp"
#include "text/unicode/normal.hpp"

namespace kvgate::text {

/// Takes what is simple: text in which each character can be normalized alone. Immutable, shared between threads.
class BertEncoder {
 public:
  /// Whether the file's pipeline is this one.
  static bool fits(TokenizerSpec const& spec) noexcept;

  /// Of a file that fits; `model` must outlive it.
  BertEncoder(TokenizerSpec const& spec, WordPieceModel const& model);

  /// Appends the ids of raw text. False: not that simple, or nothing stands for what is unknown; `out` is void then.
  /// `word` is working memory.
  bool encode(std::string_view text, std::string& word, std::vector<std::uint32_t>& out) const;

 private:
  enum class Kind : std::uint8_t { letter, space, removed, punctuation };

  bool take(char32_t c, std::string& word, std::vector<std::uint32_t>& out) const;
  bool take_stripped(char32_t c, std::string& word, std::vector<std::uint32_t>& out) const;
  bool put(char32_t c, std::string& word, std::vector<std::uint32_t>& out) const;
  bool finish(std::string& word, std::vector<std::uint32_t>& out) const;

  BertNormalizer spec_;
  WordPieceModel const& model_;
  NormalTables const& tables_ = NormalTables::get();
  std::array<Kind, 128> ascii_{};
  std::array<char, 128> lower_{};
};

}  // namespace kvgate::text
