#include "text/bpe/sentence_encoder.hpp"

#include <optional>
#include <utility>

#include "text/bpe/sentence_words.hpp"

namespace kvgate::text::bpe {
namespace {

constexpr std::string_view kBlank = "\u2581";

/// When a segment gets a blank before it.
enum class Prefix {
  never,
  always,          ///< normalizer Prepend
  unless_there,    ///< Metaspace "always"
  first_unless_there,  ///< Metaspace "first": only where the whole text begins
};

bool is_prepend(NormalizerSpec const& spec) noexcept {
  auto const* prepend = std::get_if<PrependNormalizer>(&spec);
  return prepend && prepend->text == kBlank;
}

bool is_blank_replacement(NormalizerSpec const& spec) noexcept {
  auto const* replace = std::get_if<ReplaceNormalizer>(&spec);
  return replace && !replace->pattern.is_regex && replace->pattern.text == " " && replace->content == kBlank;
}

/// Split at ' ' where none are left.
bool splits_nothing(PreTokenizerSpec const& spec) noexcept {
  auto const* split = std::get_if<SplitPreTokenizer>(&spec);
  return split && !split->pattern.is_regex && split->pattern.text == " " && !split->invert;
}

std::optional<Prefix> metaspace_prefix(PreTokenizerSpec const& spec) noexcept {
  auto const* metaspace = std::get_if<MetaspacePreTokenizer>(&spec);
  if (!metaspace || metaspace->replacement != U'\u2581' || metaspace->split) return std::nullopt;
  switch (metaspace->scheme) {
    case PrependScheme::always:
      return Prefix::unless_there;
    case PrependScheme::first:
      return Prefix::first_unless_there;
    case PrependScheme::never:
      break;
  }
  return Prefix::never;
}

/// nullopt: another pipeline.
std::optional<Prefix> known_prefix(TokenizerSpec const& spec) {
  auto const& normalizers = spec.normalizers;
  auto const& pre = spec.pre_tokenizers;
  if (normalizers.empty()) return pre.size() == 1 ? metaspace_prefix(pre.front()) : std::nullopt;
  if (!is_blank_replacement(normalizers.back()) || pre.size() > 1) return std::nullopt;
  if (pre.size() == 1 && !splits_nothing(pre.front())) return std::nullopt;
  if (normalizers.size() == 1) return Prefix::never;
  return normalizers.size() == 2 && is_prepend(normalizers.front()) ? std::optional(Prefix::always) : std::nullopt;
}

class SentenceEncoder final : public SegmentEncoder {
 public:
  SentenceEncoder(std::unique_ptr<SentenceWords const> words, Prefix prefix)
      : words_(std::move(words)), prefix_(prefix) {}

  void encode(Segment segment, Scratch& scratch, std::vector<std::uint32_t>& out) const override {
    scratch.bind(serial());
    auto const text = with_blanks(segment, scratch.text);
    auto const end = text.data() + text.size();
    for (auto p = text.data(); p < end;) {
      while (p < end && !scratch.batch.full()) {
        auto const next = words_->joints().word_end(p, end);
        scratch.batch.add({p, next}, words_at(p, end), scratch.memory);
        p = next;
      }
      scratch.batch.append_to(out, *words_, scratch.memory);
    }
    if (scratch.text.capacity() > kKeptText) std::string().swap(scratch.text);
  }

  bool normalizes() const noexcept override { return true; }
  std::size_t memory() const noexcept override { return sizeof *this + words_->memory(); }

 private:
  static constexpr std::size_t kKeptText = 1 << 20;

  bool needs_prefix(Segment segment) const noexcept {
    if (segment.text.empty() || prefix_ == Prefix::never) return false;
    if (prefix_ == Prefix::always) return true;
    if (prefix_ == Prefix::first_unless_there && !segment.at_start) return false;
    return segment.text.front() != ' ' && !segment.text.starts_with(kBlank);
  }

  /// The segment with ' ' for every blank, itself or a copy in `buffer`.
  std::string_view with_blanks(Segment segment, std::string& buffer) const {
    auto const prefix = needs_prefix(segment);
    auto text = segment.text;
    auto at = text.find(kBlank);
    if (!prefix && at == text.npos) return text;
    buffer.assign(prefix ? 1 : 0, ' ');
    for (; at != text.npos; at = text.find(kBlank)) {
      buffer.append(text.substr(0, at)) += ' ';
      text.remove_prefix(at + kBlank.size());
    }
    return buffer.append(text);
  }

  std::unique_ptr<SentenceWords const> words_;
  Prefix prefix_;
};

}  // namespace

std::unique_ptr<SegmentEncoder const> make_sentence_encoder(TokenizerSpec const& spec) {
  auto const prefix = known_prefix(spec);
  if (!prefix) return nullptr;
  auto words = SentenceWords::make(spec.model);
  return words ? std::make_unique<SentenceEncoder const>(std::move(words), *prefix) : nullptr;
}

}  // namespace kvgate::text::bpe
