// SentencePiece-style BPE: the symbols are characters, and bytes of characters that the vocabulary does not have. A
// blank stands for U+2581, which is how the vocabulary writes it.
#pragma once

#include <array>
#include <memory>

#include "text/bpe/code_point_map.hpp"
#include "text/bpe/joints.hpp"
#include "text/bpe/word_model.hpp"
#include "text/spec/spec.hpp"

namespace kvgate::text::bpe {

class SentenceWords final : public WordModel {
 public:
  /// nullptr: a model without all 256 byte tokens, or that does more than merge, or with more ids than the tables hold.
  static std::unique_ptr<SentenceWords const> make(ModelSpec const& model);

  std::size_t first_symbols(std::string_view word, std::uint32_t* out) const noexcept override;
  std::size_t memory() const noexcept override { return WordModel::memory() + chars_.memory() + joints_.memory(); }

  /// Where a text may be cut into words.
  Joints const& joints() const noexcept { return joints_; }

 private:
  using ByteIds = std::array<std::uint32_t, 256>;

  SentenceWords(PairTable pairs, ByteIds const& byte_ids) : WordModel(std::move(pairs)), byte_ids_(byte_ids) {}

  void add_chars(std::vector<std::string> const& words);
  void add_joints(std::span<Merge const> merges, std::vector<std::string> const& words);

  ByteIds byte_ids_;
  CodePointMap chars_;
  Joints joints_;
};

}  // namespace kvgate::text::bpe
