// Byte-level BPE: every byte is a symbol.
#pragma once

#include <array>
#include <memory>

#include "text/bpe/char_atoms.hpp"
#include "text/bpe/word_model.hpp"
#include "text/spec/spec.hpp"

namespace kvgate::text::bpe {

class ByteWords final : public WordModel {
 public:
  /// nullptr: a model that is not byte-level BPE over all 256 bytes, or one with more ids than the tables hold.
  static std::unique_ptr<ByteWords const> make(ModelSpec const& model);

  std::size_t first_symbols(std::string_view word, std::uint32_t* out) const noexcept override;
  std::size_t memory() const noexcept override { return WordModel::memory() + atoms_.memory(); }

 private:
  using ByteIds = std::array<std::uint32_t, 256>;

  ByteWords(PairTable pairs, ByteIds const& byte_ids, CharAtoms atoms)
      : WordModel(std::move(pairs)), byte_ids_(byte_ids), atoms_(std::move(atoms)) {}

  std::uint32_t atom_at(char const* p, std::string_view word) const noexcept;

  ByteIds byte_ids_;
  CharAtoms atoms_;
};

}  // namespace kvgate::text::bpe
