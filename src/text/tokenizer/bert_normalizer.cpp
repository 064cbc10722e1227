#include "text/tokenizer/normalizer_steps.hpp"

namespace kvgate::text {
namespace {

/// Its four parts run one after the other in the library; each looks at single code points, so one pass before and one
/// after NFD do the same.
class BertStep final : public Normalizer {
 public:
  explicit BertStep(BertNormalizer const& spec) : spec_(spec) {}

  bool apply(Piece const& piece, Rewritten& out, NormalizeScratch& scratch) const override {
    if (!spec_.strip_accents) {
      clean(piece, out, spec_.lowercase);
      return true;
    }
    scratch.cleaned.clear();
    scratch.decomposed.clear();
    scratch.cleaned.tracked = scratch.decomposed.tracked = out.tracked;
    clean(piece, scratch.cleaned, false);
    decompose(scratch.cleaned, piece.shift, scratch.decomposed, scratch);
    strip(scratch.decomposed, out);
    return true;
  }

 private:
  void clean(Piece const& piece, Rewritten& out, bool lowercase) const {
    char const* at = piece.text.data();
    while (at < piece.text.data() + piece.text.size()) {
      auto const origin = origin_at(piece, static_cast<std::size_t>(at - piece.text.data()));
      char32_t c = next_code_point(at);
      std::uint16_t const facts = tables_.facts(c);
      if (spec_.clean_text && facts & kBertRemoved) continue;
      if (spec_.clean_text && facts & kWhiteSpace) c = U' ';
      bool const spaced = spec_.handle_chinese_chars && facts & kBertSpaced;
      if (spaced) out.put(U' ', origin);
      put(c, origin, lowercase, out);
      if (spaced) out.put(U' ', origin);
    }
  }

  void put(char32_t c, std::uint32_t origin, bool lowercase, Rewritten& out) const {
    out.put(lowercase ? tables_.lower(c) : c, origin);
    if (lowercase && c == U'\u0130') out.put(U'\u0307', origin);
  }

  static void decompose(Rewritten const& in, std::uint32_t shift, Rewritten& out, NormalizeScratch& scratch) {
    scratch.changes.clear();
    scratch.forms.append(UnicodeForm::nfd, in.text, out.text, out.tracked ? &scratch.changes : nullptr);
    if (out.tracked) out.align({.text = in.text, .origins = in.origins.data(), .shift = shift}, scratch.changes);
  }

  void strip(Rewritten const& in, Rewritten& out) const {
    char const* at = in.text.data();
    while (at < in.text.data() + in.text.size()) {
      auto const origin = in.tracked ? in.origins[static_cast<std::size_t>(at - in.text.data())] : 0;
      char32_t const c = next_code_point(at);
      if (!tables_.is(c, kBertMark)) put(c, origin, spec_.lowercase, out);
    }
  }

  BertNormalizer spec_;
  NormalTables const& tables_ = NormalTables::get();
};

}  // namespace

std::unique_ptr<Normalizer const> make_bert_normalizer(BertNormalizer const& spec) {
  return std::make_unique<BertStep const>(spec);
}

}  // namespace kvgate::text
