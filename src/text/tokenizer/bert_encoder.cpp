#include "text/tokenizer/bert_encoder.hpp"

#include <algorithm>

#include "text/unicode/code_point.hpp"
#include "text/unicode/hangul.hpp"

namespace kvgate::text {

bool BertEncoder::fits(TokenizerSpec const& spec) noexcept {
  return spec.normalizers.size() == 1 && std::holds_alternative<BertNormalizer>(spec.normalizers[0]) &&
         spec.pre_tokenizers.size() == 1 && std::holds_alternative<BertPreTokenizer>(spec.pre_tokenizers[0]) &&
         spec.model.kind == ModelKind::word_piece;
}

BertEncoder::BertEncoder(TokenizerSpec const& spec, WordPieceModel const& model)
    : spec_(std::get<BertNormalizer>(spec.normalizers[0])), model_(model) {
  for (char32_t c = 0; c < 128; ++c) {
    std::uint16_t const facts = tables_.facts(c);
    bool const removed = spec_.clean_text && facts & kBertRemoved;
    ascii_[c] = removed                ? Kind::removed
                : facts & kWhiteSpace  ? Kind::space
                : facts & kPunctuation ? Kind::punctuation
                                       : Kind::letter;
    lower_[c] = static_cast<char>(spec_.lowercase ? tables_.lower(c) : c);
  }
}

bool BertEncoder::encode(std::string_view text, std::string& word, std::vector<std::uint32_t>& out) const {
  word.clear();
  char const* at = text.data();
  char const* const end = at + text.size();
  while (at < end) {
    if (*at < 0) {
      if (!take(next_code_point(at), word, out)) return false;
      continue;
    }
    auto const c = static_cast<std::size_t>(*at++);
    switch (ascii_[c]) {
      case Kind::letter:
        word += lower_[c];
        break;
      case Kind::removed:
        break;
      case Kind::space:
        if (!finish(word, out)) return false;
        break;
      default:
        if (!finish(word, out)) return false;
        word += static_cast<char>(c);
        if (!finish(word, out)) return false;
    }
  }
  return finish(word, out);
}

/// A character beyond ASCII.
bool BertEncoder::take(char32_t c, std::string& word, std::vector<std::uint32_t>& out) const {
  std::uint16_t const facts = tables_.facts(c);
  if (spec_.clean_text && facts & kBertRemoved) return true;
  if (facts & kWhiteSpace) return finish(word, out);
  bool const spaced = spec_.handle_chinese_chars && facts & kBertSpaced;
  if (spaced && !finish(word, out)) return false;
  bool const taken = spec_.strip_accents ? take_stripped(c, word, out) : put(c, word, out);
  return taken && (!spaced || finish(word, out));
}

/// Marks that stay may have to change places with their neighbours: not simple.
bool BertEncoder::take_stripped(char32_t c, std::string& word, std::vector<std::uint32_t>& out) const {
  auto const part = [&](char32_t piece) {
    if (tables_.is(piece, kBertMark)) return true;
    return tables_.combining_class(piece) == 0 && put(piece, word, out);
  };
  if (hangul::is_syllable(c)) {
    bool taken = true;
    hangul::decompose(c, [&](char32_t piece) { taken = taken && part(piece); });
    return taken;
  }
  auto const parts = tables_.decomposition(c, false);
  return parts.empty() ? part(c) : std::all_of(parts.begin(), parts.end(), part);
}

bool BertEncoder::put(char32_t c, std::string& word, std::vector<std::uint32_t>& out) const {
  char32_t const lower = spec_.lowercase ? tables_.lower(c) : c;
  bool const simple = c != U'\u0130' && !tables_.is(lower, kWhiteSpace);
  if (!simple) return false;
  bool const alone = tables_.is(lower, kPunctuation);
  if (alone && !finish(word, out)) return false;
  append_utf8(word, lower);
  return !alone || finish(word, out);
}

bool BertEncoder::finish(std::string& word, std::vector<std::uint32_t>& out) const {
  if (word.empty()) return true;
  bool const done = model_.encode_word(word, out);
  word.clear();
  return done;
}

}  // namespace kvgate::text
