// The pre-tokenizers of a tokenizer.json, ready to run.
#pragma once

#include <memory>
#include <vector>

#include "text/tokenizer/matcher.hpp"
#include "text/tokenizer/rewritten.hpp"

namespace kvgate::text {

/// What pre-tokenizing needs beside the pieces. One thread at a time.
struct SplitScratch {
  RegexScratch regex;
  std::vector<Stretch> stretches, merged;
  Rewritten rewritten;
  RewriteSpace space;
  std::vector<Piece> pieces;
  char const* problem = kTooHard;  ///< why a step gave up
};

/// One step. Immutable, shared between threads.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;

  /// Appends what becomes of a piece that is not empty and no added token. False: given up, see SplitScratch::problem.
  virtual bool apply(Piece const& piece, SplitScratch& scratch, std::vector<Piece>& out) const = 0;

  /// Whether it writes text anew, so that bytes are not where they came from.
  virtual bool rewrites() const noexcept { return false; }
  /// Whether it asks where a piece begins in the caller's text.
  virtual bool asks_origin() const noexcept { return false; }
};

/// All steps of a file. Immutable, shared between threads.
class PreTokenizerChain {
 public:
  static Result<PreTokenizerChain> make(std::vector<PreTokenizerSpec> const& specs);

  /// Replaces `pieces` by what they are split into, through all steps. False: given up.
  bool apply(std::vector<Piece>& pieces, SplitScratch& scratch) const;

  bool empty() const noexcept { return steps_.empty(); }
  bool asks_origin() const noexcept;
  /// Whether origins have to be kept even of text that comes as it was written.
  bool needs_origins() const noexcept;

 private:
  std::vector<std::unique_ptr<PreTokenizer const>> steps_;
};

/// Appends the parts of `piece` that `stretches` and the behavior make, without empty ones. `merged` is working memory.
void split_piece(Piece const& piece, std::vector<Stretch> const& stretches, SplitBehavior behavior,
                 std::vector<Stretch>& merged, std::vector<Piece>& out);

}  // namespace kvgate::text
