// The normalizers of a tokenizer.json, ready to run.
#pragma once

#include <memory>
#include <vector>

#include "kvgate/error.hpp"
#include "text/spec/spec.hpp"
#include "text/tokenizer/matcher.hpp"
#include "text/tokenizer/rewritten.hpp"

namespace kvgate::text {

/// What normalizing needs beside the text. One thread at a time.
struct NormalizeScratch {
  Rewritten current, next;
  Rewritten cleaned, decomposed;  ///< of BertNormalizer
  std::vector<Change> changes;
  FormNormalizer forms;
  RegexScratch regex;
  std::vector<Stretch> stretches;
  char const* problem = nullptr;  ///< set when a step cannot go on: what is wrong. The result is void then.
};

/// One step. Immutable, shared between threads.
class Normalizer {
 public:
  virtual ~Normalizer() = default;

  /// Writes the normalized piece (which is not empty) into `out`, which is. False: it stays as it is, and `out` is
  /// void.
  virtual bool apply(Piece const& piece, Rewritten& out, NormalizeScratch& scratch) const = 0;

  /// Whether it only cuts out and puts in, and so works on a piece that is loose.
  virtual bool takes_loose() const noexcept { return false; }
};

/// All steps of a file. Immutable, shared between threads.
class NormalizerChain {
 public:
  /// Error: a pattern or table that cannot be used.
  static Result<NormalizerChain> make(std::vector<NormalizerSpec> const& specs);

  bool empty() const noexcept { return steps_.empty(); }

  /// The piece after all steps, in the memory of `space` where it changed.
  Piece apply(Piece const& piece, RewriteSpace& space, NormalizeScratch& scratch) const;

 private:
  std::vector<std::unique_ptr<Normalizer const>> steps_;
};

}  // namespace kvgate::text
