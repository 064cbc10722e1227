#include "text/tokenizer/word_piece_model.hpp"

#include "text/unicode/code_point.hpp"

namespace kvgate::text {

WordPieceModel::WordPieceModel(ModelSpec const& spec)
    : most_chars_(spec.max_input_chars_per_word), unk_(spec.vocabulary.find(spec.unk_token.value_or(""))) {
  std::vector<DoubleArray::Entry> entries;
  entries.reserve(spec.vocabulary.size());
  for (auto const& entry : spec.vocabulary.entries()) entries.emplace_back(spec.vocabulary.text(entry), entry.id);
  tokens_ = DoubleArray(std::move(entries));
  behind_prefix_ = tokens_.walk(spec.continuing_subword_prefix);
}

bool WordPieceModel::encode_word(std::string_view word, std::vector<std::uint32_t>& out) const {
  std::size_t const before = out.size();
  if (!is_too_long(word) && encode_parts(word, out)) return true;
  out.resize(before);
  if (unk_) out.push_back(*unk_);
  return unk_.has_value();
}

bool WordPieceModel::is_too_long(std::string_view word) const noexcept {
  if (word.size() <= most_chars_) return false;
  std::uint64_t chars = 0;
  for (char c : word) chars += !is_continuation(c);
  return chars > most_chars_;
}

bool WordPieceModel::encode_parts(std::string_view word, std::vector<std::uint32_t>& out) const {
  std::uint32_t node = DoubleArray::kRoot;
  while (!word.empty()) {
    std::size_t length = 0;
    std::uint32_t id = 0;
    tokens_.prefixes(
        word,
        [&](std::size_t longer, std::uint32_t value) {
          length = longer;
          id = value;
        },
        node);
    if (length == 0) return false;
    out.push_back(id);
    word.remove_prefix(length);
    if (!behind_prefix_) return word.empty();
    node = *behind_prefix_;
  }
  return true;
}

std::unique_ptr<Model const> make_word_piece_model(ModelSpec&& spec) {
  return std::make_unique<WordPieceModel const>(spec);
}

}  // namespace kvgate::text
