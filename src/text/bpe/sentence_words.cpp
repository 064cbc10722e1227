#include "text/bpe/sentence_words.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/utf8.hpp"
#include "text/bpe/char_kind.hpp"

namespace kvgate::text::bpe {
namespace {

constexpr std::string_view kBlank = "\u2581";

std::optional<std::array<std::uint32_t, 256>> byte_ids_of(Vocabulary const& vocabulary) {
  std::array<std::uint32_t, 256> out;
  for (unsigned b = 0; b < out.size(); ++b) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", b);
    auto const id = vocabulary.find(name);
    if (!id) return std::nullopt;
    out[b] = *id;
  }
  return out;
}

bool plain_bpe(ModelSpec const& model) noexcept {
  return model.kind == ModelKind::bpe && model.byte_fallback && !model.ignore_merges &&
         model.continuing_subword_prefix.empty() && model.end_of_word_suffix.empty();
}

/// How texts spell the token once their blanks are blanks; nullopt: no text does.
std::optional<std::string> spelled(std::string_view token) {
  if (token.find(' ') != token.npos) return std::nullopt;
  std::string out;
  for (auto at = token.find(kBlank); at != token.npos; at = token.find(kBlank)) {
    out.append(token.substr(0, at)) += ' ';
    token.remove_prefix(at + kBlank.size());
  }
  return out.append(token);
}

char32_t last_char(std::string_view word) noexcept {
  auto p = word.end() - 1;
  while (p != word.begin() && (static_cast<unsigned char>(*p) & 0xc0) == 0x80) --p;
  return utf8_step({p, word.end()}).code_point;
}

/// Bytes as symbols must stay what they are, or cutting beside characters that become bytes would be wrong.
bool merges_bytes(std::span<Merge const> merges, std::array<std::uint32_t, 256> byte_ids) {
  std::ranges::sort(byte_ids);
  return std::ranges::any_of(merges, [&](Merge const& m) {
    return std::ranges::binary_search(byte_ids, m.left) || std::ranges::binary_search(byte_ids, m.right);
  });
}

}  // namespace

std::unique_ptr<SentenceWords const> SentenceWords::make(ModelSpec const& model) {
  if (!plain_bpe(model)) return nullptr;
  auto const byte_ids = byte_ids_of(model.vocabulary);
  auto const words = words_by_id(model.vocabulary, spelled);
  auto const blank = model.vocabulary.find(kBlank);
  if (!byte_ids || words.empty() || !blank || merges_bytes(model.merges, *byte_ids)) return nullptr;
  auto pairs = PairTable::make(model.merges, *blank);
  if (!pairs) return nullptr;
  std::unique_ptr<SentenceWords> out(new SentenceWords(std::move(*pairs), *byte_ids));
  out->add_chars(words);
  out->add_joints(model.merges, words);
  return out->find_whole_words(words, false) ? std::move(out) : nullptr;
}

void SentenceWords::add_chars(std::vector<std::string> const& words) {
  for (std::uint32_t id = 0; id < words.size(); ++id) {
    auto const step = utf8_step(words[id]);
    if (step.length != 0 && step.length == words[id].size()) chars_.set(step.code_point, id);
  }
}

void SentenceWords::add_joints(std::span<Merge const> merges, std::vector<std::string> const& words) {
  for (auto const& merge : merges) {
    auto const& left = words[merge.left];
    auto const& right = words[merge.right];
    if (!left.empty() && !right.empty()) joints_.add(last_char(left), utf8_step(right).code_point);
  }
}

std::size_t SentenceWords::first_symbols(std::string_view word, std::uint32_t* out) const noexcept {
  auto const begin = out;
  auto const end = word.data() + word.size();
  for (auto p = word.data(); p < end;) {
    auto const byte = static_cast<unsigned char>(*p);
    auto const step = byte < 0x80 ? Utf8Step{byte, 1} : wide_code_point(p, end);
    if (auto const id = chars_.get(step.code_point); id != CodePointMap::kNone)
      *out++ = id;
    else
      for (std::size_t i = 0; i < step.length; ++i) *out++ = byte_ids_[static_cast<unsigned char>(p[i])];
    p += step.length;
  }
  return static_cast<std::size_t>(out - begin);
}

}  // namespace kvgate::text::bpe
