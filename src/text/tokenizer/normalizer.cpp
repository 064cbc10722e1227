#include "text/tokenizer/normalizer.hpp"

#include <algorithm>

#include "text/tokenizer/byte_chars.hpp"
#include "text/tokenizer/normalizer_steps.hpp"

namespace kvgate::text {
namespace {

/// Code point by code point: `each(c, origin)` writes what becomes of it.
template <class Each>
void rewrite(Piece const& piece, Each&& each) {
  char const* at = piece.text.data();
  while (at < piece.text.data() + piece.text.size()) {
    auto const origin = origin_at(piece, static_cast<std::size_t>(at - piece.text.data()));
    each(next_code_point(at), origin);
  }
}

class FormStep final : public Normalizer {
 public:
  explicit FormStep(UnicodeForm form) : form_(form) {}

  bool apply(Piece const& piece, Rewritten& out, NormalizeScratch& scratch) const override {
    if (FormNormalizer::is_inert(form_, piece.text)) return false;
    scratch.changes.clear();
    scratch.forms.append(form_, piece.text, out.text, out.tracked ? &scratch.changes : nullptr);
    if (out.tracked) out.align(piece, scratch.changes);
    return true;
  }

 private:
  UnicodeForm form_;
};

class LowercaseStep final : public Normalizer {
 public:
  bool apply(Piece const& piece, Rewritten& out, NormalizeScratch&) const override {
    rewrite(piece, [&](char32_t c, std::uint32_t origin) {
      out.put(tables_.lower(c), origin);
      if (c == U'\u0130') out.put(U'\u0307', origin);
    });
    return true;
  }

 private:
  NormalTables const& tables_ = NormalTables::get();
};

class StripAccentsStep final : public Normalizer {
 public:
  bool apply(Piece const& piece, Rewritten& out, NormalizeScratch&) const override {
    rewrite(piece, [&](char32_t c, std::uint32_t origin) {
      if (!tables_.is(c, kAccent)) out.put(c, origin);
    });
    return true;
  }

 private:
  NormalTables const& tables_ = NormalTables::get();
};

class NmtStep final : public Normalizer {
 public:
  bool apply(Piece const& piece, Rewritten& out, NormalizeScratch&) const override {
    rewrite(piece, [&](char32_t c, std::uint32_t origin) {
      if (!is_removed(c)) out.put(is_space(c) ? U' ' : c, origin);
    });
    return true;
  }

 private:
  static bool is_removed(char32_t c) noexcept {
    return (c >= 0x01 && c <= 0x08) || c == 0x0b || (c >= 0x0e && c <= 0x1f) || c == 0x7f || c == 0x8f || c == 0x9f;
  }
  static bool is_space(char32_t c) noexcept {
    return c == 0x09 || c == 0x0a || c == 0x0c || c == 0x0d || c == 0x1680 || (c >= 0x200b && c <= 0x200f) ||
           c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xfeff || c == 0xfffd;
  }
};

class ByteLevelStep final : public Normalizer {
 public:
  bool apply(Piece const& piece, Rewritten& out, NormalizeScratch&) const override {
    for (std::size_t i = 0; i < piece.text.size(); ++i) out.put(byte_char(piece.text[i]), origin_at(piece, i));
    return true;
  }
};

class StripStep final : public Normalizer {
 public:
  explicit StripStep(StripNormalizer spec) : spec_(spec) {}

  bool apply(Piece const& piece, Rewritten& out, NormalizeScratch&) const override {
    std::size_t begin = 0;
    std::size_t end = piece.text.size();
    while (spec_.left && begin < end && is_space(piece.text.substr(begin))) begin += sequence_length(piece.text[begin]);
    while (spec_.right && begin < end) {
      std::size_t const last = last_start(piece.text.substr(0, end));
      if (!is_space(piece.text.substr(last))) break;
      end = last;
    }
    if (end - begin == piece.text.size()) return false;
    out.copy(piece, begin, end);
    return true;
  }

 private:
  bool is_space(std::string_view text) const noexcept { return tables_.is(first_code_point(text), kWhiteSpace); }

  StripNormalizer spec_;
  NormalTables const& tables_ = NormalTables::get();
};

class PrependStep final : public Normalizer {
 public:
  explicit PrependStep(std::string text) : text_(std::move(text)) {}

  bool apply(Piece const& piece, Rewritten& out, NormalizeScratch&) const override {
    std::size_t const first = sequence_length(piece.text[0]);
    std::uint32_t const origin = origin_at(piece, 0);
    out.put(text_, origin);
    out.put(piece.text.substr(0, first), origin);
    out.copy(piece, first, piece.text.size());
    out.loose = piece.loose;
    return true;
  }

  bool takes_loose() const noexcept override { return true; }

 private:
  std::string text_;  ///< not empty
};

using Step = Result<std::unique_ptr<Normalizer const>>;

struct StepMaker {
  template <class T>
  static std::unique_ptr<Normalizer const> done(T step) {
    return std::make_unique<T const>(std::move(step));
  }

  Step operator()(NormalizeForm const& spec) const { return done(FormStep(spec.form)); }
  Step operator()(Lowercase const&) const { return done(LowercaseStep()); }
  Step operator()(StripAccents const&) const { return done(StripAccentsStep()); }
  Step operator()(NmtNormalizer const&) const { return done(NmtStep()); }
  Step operator()(ByteLevelNormalizer const&) const { return done(ByteLevelStep()); }
  Step operator()(StripNormalizer const& spec) const { return done(StripStep(spec)); }
  Step operator()(PrependNormalizer const& spec) const { return done(PrependStep(spec.text)); }
  Step operator()(BertNormalizer const& spec) const { return make_bert_normalizer(spec); }
  Step operator()(ReplaceNormalizer const& spec) const { return make_replace_normalizer(spec); }
  Step operator()(PrecompiledNormalizer const& spec) const { return make_precompiled_normalizer(spec); }
};

/// The piece again, in `written`.
Piece as_piece(Rewritten const& written, std::uint32_t shift) {
  return {written.text, written.tracked ? written.origins.data() : nullptr, shift, kNoToken, written.loose};
}

}  // namespace

Result<NormalizerChain> NormalizerChain::make(std::vector<NormalizerSpec> const& specs) {
  NormalizerChain chain;
  for (NormalizerSpec const& spec : specs) {
    Step step = std::visit(StepMaker(), spec);
    if (step.has_error()) return step.error();
    chain.steps_.push_back(std::move(*step));
  }
  return chain;
}

Piece NormalizerChain::apply(Piece const& piece, RewriteSpace& space, NormalizeScratch& scratch) const {
  scratch.current.tracked = scratch.next.tracked = space.tracked;
  Piece now = piece;
  bool changed = false;
  for (auto const& step : steps_) {
    if (now.text.empty()) break;
    if (now.loose && !step->takes_loose()) scratch.problem = kGoesWrong;
    if (scratch.problem) break;
    scratch.next.clear();
    if (!step->apply(now, scratch.next, scratch)) continue;
    std::swap(scratch.current, scratch.next);
    now = as_piece(scratch.current, piece.shift);
    changed = true;
  }
  return changed ? space.store(scratch.current, piece.shift) : piece;
}

}  // namespace kvgate::text
