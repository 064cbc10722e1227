// The last step: from a piece of text to ids.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "kvgate/error.hpp"
#include "text/spec/spec.hpp"

namespace kvgate::text {

/// What models need beside the text; each uses its own. One thread at a time.
class ModelScratch {
 public:
  virtual ~ModelScratch() = default;
};

/// Immutable, shared between threads.
class Model {
 public:
  virtual ~Model() = default;

  virtual std::unique_ptr<ModelScratch> make_scratch() const = 0;

  /// Appends the ids of a piece that is not empty. False: it has something unknown and the file names no token for that
  /// (the library fails as well).
  virtual bool encode(std::string_view text, ModelScratch& scratch, std::vector<std::uint32_t>& out) const = 0;

  virtual std::size_t memory() const noexcept = 0;  ///< bytes
};

/// Takes what it needs out of `spec`.
std::unique_ptr<Model const> make_model(ModelSpec&& spec);

// One for each kind.
std::unique_ptr<Model const> make_bpe_model(ModelSpec&& spec);
std::unique_ptr<Model const> make_word_piece_model(ModelSpec&& spec);
std::unique_ptr<Model const> make_word_level_model(ModelSpec&& spec);
std::unique_ptr<Model const> make_unigram_model(ModelSpec&& spec);

}  // namespace kvgate::text
