// WordPiece: the longest token that the rest of a word begins with, again and again.
#pragma once

#include <optional>

#include "text/tokenizer/double_array.hpp"
#include "text/tokenizer/model.hpp"

namespace kvgate::text {

/// A word that has a part without token, or too many characters, is unknown as a whole. Immutable, shared between
/// threads.
class WordPieceModel final : public Model {
 public:
  explicit WordPieceModel(ModelSpec const& spec);

  std::unique_ptr<ModelScratch> make_scratch() const override { return std::make_unique<ModelScratch>(); }
  bool encode(std::string_view text, ModelScratch&, std::vector<std::uint32_t>& out) const override {
    return encode_word(text, out);
  }
  std::size_t memory() const noexcept override { return tokens_.memory(); }

  /// Needs no scratch.
  bool encode_word(std::string_view word, std::vector<std::uint32_t>& out) const;

 private:
  bool is_too_long(std::string_view word) const noexcept;
  bool encode_parts(std::string_view word, std::vector<std::uint32_t>& out) const;

  DoubleArray tokens_;
  std::optional<std::uint32_t> behind_prefix_;  ///< the node of tokens that continue a word, if there are any
  std::uint64_t most_chars_;
  std::optional<std::uint32_t> unk_;
};

}  // namespace kvgate::text
