// The tokens that a tokenizer.json adds to its model's vocabulary, and how they cut a text.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kvgate/error.hpp"
#include "text/spec/spec.hpp"
#include "text/tokenizer/piece.hpp"
#include "text/tokenizer/token_trie.hpp"

namespace kvgate::text {

/// Immutable, shared between threads.
class AddedTokens {
 public:
  struct Token {
    std::string content;
    std::uint32_t id = 0;  ///< not always the file's: the library numbers tokens that the model lacks in their order
    bool single_word = false;
    bool lstrip = false;
    bool rstrip = false;
    bool normalized = true;
    bool special = false;
  };

  /// `normalize` is what the file's normalizers make of a token's content.
  static Result<AddedTokens> make(std::vector<AddedTokenSpec> const& specs, ModelSpec const& model,
                                  std::function<Result<std::string>(std::string_view)> const& normalize);

  /// Appends the pieces of a text (of a piece): tokens, and what lies between. False: tokens overlap so that the
  /// library fails as well.
  bool split_raw(Piece const& piece, std::vector<Piece>& out) const { return split(piece, raw_, out); }
  /// The same for tokens that are looked for in normalized text.
  bool split_normalized(Piece const& piece, std::vector<Piece>& out) const { return split(piece, normalized_, out); }

  bool looks_at_normalized() const noexcept { return !normalized_.empty(); }
  bool empty() const noexcept { return tokens_.empty(); }
  std::vector<Token> const& tokens() const noexcept { return tokens_; }

  /// Tokens behind which a text can be cut and its ends encoded apart: special, not normalized, without lstrip, rstrip
  /// and single_word, in no other token, none in them, and none begins with what they end with or the other way round.
  /// So each place where one of them stands is a match, whatever is around it.
  std::vector<Token const*> exact_cuts() const;

 private:
  bool split(Piece const& piece, TokenTrie const& trie, std::vector<Piece>& out) const;
  bool stands_alone(std::string_view text, TokenTrie::Match const& match) const noexcept;

  std::vector<Token> tokens_;
  TokenTrie raw_;  ///< values are indexes into tokens_
  TokenTrie normalized_;
};

}  // namespace kvgate::text
