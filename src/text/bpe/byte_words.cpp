#include "text/bpe/byte_words.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "text/bpe/byte_alphabet.hpp"
#include "text/bpe/char_kind.hpp"

namespace kvgate::text::bpe {
namespace {

std::optional<std::array<std::uint32_t, 256>> byte_ids_of(Vocabulary const& vocabulary) {
  std::array<std::uint32_t, 256> out;
  for (unsigned b = 0; b < out.size(); ++b) {
    auto const id = vocabulary.find(byte_character(static_cast<unsigned char>(b)));
    if (!id) return std::nullopt;
    out[b] = *id;
  }
  return out;
}

bool plain_bpe(ModelSpec const& model) noexcept {
  return model.kind == ModelKind::bpe && model.continuing_subword_prefix.empty() && model.end_of_word_suffix.empty();
}

CharAtoms::Edge edge_at(char const* p, std::string_view word) noexcept {
  if (p < word.data() || p >= word.data() + word.size()) return CharAtoms::Edge::none;
  return static_cast<signed char>(*p) >= 0 ? CharAtoms::Edge::ascii : CharAtoms::Edge::wide;
}

}  // namespace

std::unique_ptr<ByteWords const> ByteWords::make(ModelSpec const& model) {
  if (!plain_bpe(model)) return nullptr;
  auto const byte_ids = byte_ids_of(model.vocabulary);
  auto const tokens = words_by_id(model.vocabulary, token_bytes);
  if (!byte_ids || tokens.empty()) return nullptr;
  auto pairs = PairTable::make(model.merges, std::ranges::min(*byte_ids));
  if (!pairs) return nullptr;
  CharAtoms atoms({model.merges, *pairs, *byte_ids, tokens});
  std::unique_ptr<ByteWords> words(new ByteWords(std::move(*pairs), *byte_ids, std::move(atoms)));
  return words->find_whole_words(tokens, model.ignore_merges) ? std::move(words) : nullptr;
}

std::size_t ByteWords::first_symbols(std::string_view word, std::uint32_t* out) const noexcept {
  auto const begin = out;
  auto const end = word.data() + word.size();
  for (auto p = word.data(); p < end;) {
    auto const byte = static_cast<unsigned char>(*p);
    if (byte < 0x80) {
      *out++ = byte_ids_[byte];
      ++p;
      continue;
    }
    auto const behind = p + std::min<std::ptrdiff_t>(utf8_length(byte), end - p);
    if (auto const atom = atom_at(p, word); atom != CodePointMap::kNone) {
      *out++ = atom;
      p = behind;
    }
    while (p < behind) *out++ = byte_ids_[static_cast<unsigned char>(*p++)];
  }
  return static_cast<std::size_t>(out - begin);
}

std::uint32_t ByteWords::atom_at(char const* p, std::string_view word) const noexcept {
  auto const step = wide_code_point(p, word.data() + word.size());
  if (step.length == 1) return CodePointMap::kNone;  // part of a character
  return atoms_.find(step.code_point, edge_at(p - 1, word), edge_at(p + step.length, word));
}

}  // namespace kvgate::text::bpe
