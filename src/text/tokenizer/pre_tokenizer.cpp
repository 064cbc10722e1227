#include "text/tokenizer/pre_tokenizer.hpp"

#include <algorithm>

#include "text/tokenizer/byte_chars.hpp"
#include "text/unicode/code_point.hpp"
#include "text/unicode/normal.hpp"

namespace kvgate::text {
namespace {

using MatcherPtr = std::unique_ptr<Matcher const>;
using Step = std::unique_ptr<PreTokenizer const>;

class SplitStep final : public PreTokenizer {
 public:
  SplitStep(MatcherPtr matcher, SplitBehavior behavior, bool invert)
      : matcher_(std::move(matcher)), behavior_(behavior), invert_(invert) {}

  bool apply(Piece const& piece, SplitScratch& scratch, std::vector<Piece>& out) const override {
    scratch.stretches.clear();
    if (!matcher_->find(piece.text, scratch.regex, scratch.stretches)) return false;
    if (invert_) {
      for (Stretch& stretch : scratch.stretches) stretch.is_match = !stretch.is_match;
    }
    split_piece(piece, scratch.stretches, behavior_, scratch.merged, out);
    return true;
  }

 private:
  MatcherPtr matcher_;
  SplitBehavior behavior_;
  bool invert_;
};

/// The piece with `prefix` before it.
Piece with_prefix(Piece const& piece, std::string_view prefix, SplitScratch& scratch) {
  scratch.rewritten.clear();
  scratch.rewritten.tracked = scratch.space.tracked;
  scratch.rewritten.put(prefix, origin_at(piece, 0));
  scratch.rewritten.copy(piece, 0, piece.text.size());
  return scratch.space.store(scratch.rewritten, piece.shift);
}

class ByteLevelPreStep final : public PreTokenizer {
 public:
  ByteLevelPreStep(ByteLevelPreTokenizer spec, MatcherPtr matcher) : spec_(spec), matcher_(std::move(matcher)) {}

  bool apply(Piece const& piece, SplitScratch& scratch, std::vector<Piece>& out) const override {
    if (piece.loose) return scratch.problem = kGoesWrong, false;
    Piece whole = piece;
    if (spec_.add_prefix_space && !piece.text.starts_with(' ')) whole = with_prefix(piece, " ", scratch);
    std::size_t const first = out.size();
    if (spec_.use_regex) {
      scratch.stretches.clear();
      if (!matcher_->find(whole.text, scratch.regex, scratch.stretches)) return false;
      split_piece(whole, scratch.stretches, SplitBehavior::isolated, scratch.merged, out);
    } else {
      out.push_back(whole);
    }
    std::for_each(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                  [&](Piece& part) { part = in_byte_chars(part, scratch); });
    return true;
  }

  bool rewrites() const noexcept override { return true; }

 private:
  static Piece in_byte_chars(Piece const& piece, SplitScratch& scratch) {
    scratch.rewritten.clear();
    scratch.rewritten.tracked = scratch.space.tracked;
    for (std::size_t i = 0; i < piece.text.size(); ++i) {
      scratch.rewritten.put(byte_char(piece.text[i]), origin_at(piece, i));
    }
    return scratch.space.store(scratch.rewritten, piece.shift);
  }

  ByteLevelPreTokenizer spec_;
  MatcherPtr matcher_;
};

class MetaspaceStep final : public PreTokenizer {
 public:
  explicit MetaspaceStep(MetaspacePreTokenizer spec)
      : spec_(spec), replacement_(utf8_of(spec.replacement)), matcher_(match_char(spec.replacement)) {}

  bool apply(Piece const& piece, SplitScratch& scratch, std::vector<Piece>& out) const override {
    Piece const whole = rewritten(piece, scratch);
    if (!spec_.split) {
      out.push_back(whole);
      return true;
    }
    scratch.stretches.clear();
    matcher_->find(whole.text, scratch.regex, scratch.stretches);
    split_piece(whole, scratch.stretches, SplitBehavior::merged_with_next, scratch.merged, out);
    return true;
  }

  bool rewrites() const noexcept override { return true; }
  bool asks_origin() const noexcept override { return spec_.scheme == PrependScheme::first; }

 private:
  Piece rewritten(Piece const& piece, SplitScratch& scratch) const {
    bool const marked = piece.text.starts_with(replacement_) || piece.text.starts_with(' ');
    bool const prepends = !marked && (spec_.scheme == PrependScheme::always ||
                                      (spec_.scheme == PrependScheme::first && piece.shift == 0));
    Rewritten& out = scratch.rewritten;
    out.clear();
    out.tracked = scratch.space.tracked;
    out.loose = piece.loose;
    if (prepends) out.put(replacement_, origin_at(piece, 0));
    for (std::size_t at = 0; at < piece.text.size();) {
      std::size_t const space = std::min(piece.text.find(' ', at), piece.text.size());
      out.copy(piece, at, space);
      if (space < piece.text.size()) out.put(replacement_, origin_at(piece, space));
      at = space + 1;
    }
    return scratch.space.store(out, piece.shift);
  }

  MetaspacePreTokenizer spec_;
  std::string replacement_;
  MatcherPtr matcher_;
};

class ScriptsStep final : public PreTokenizer {
 public:
  /// What stands before the first character that has a script is lost, in the library too.
  bool apply(Piece const& piece, SplitScratch&, std::vector<Piece>& out) const override {
    std::size_t begin = std::string_view::npos;
    std::uint8_t last = kAny;
    char const* at = piece.text.data();
    while (at < piece.text.data() + piece.text.size()) {
      auto const here = static_cast<std::size_t>(at - piece.text.data());
      std::uint8_t const script = tables_.script(next_code_point(at));
      if (script == kAny || script == last) continue;
      if (begin != std::string_view::npos) out.push_back(piece.part(begin, here));
      begin = here;
      last = script;
    }
    if (begin != std::string_view::npos) out.push_back(piece.part(begin, piece.text.size()));
    return true;
  }

 private:
  static constexpr std::uint8_t kAny = 0;
  NormalTables const& tables_ = NormalTables::get();
};

class FixedLengthStep final : public PreTokenizer {
 public:
  explicit FixedLengthStep(std::uint64_t length) : length_(length) {}

  bool apply(Piece const& piece, SplitScratch&, std::vector<Piece>& out) const override {
    std::size_t begin = 0;
    std::uint64_t count = 0;
    for (std::size_t at = 0; at < piece.text.size(); at += sequence_length(piece.text[at])) {
      if (count++ < length_) continue;
      out.push_back(piece.part(begin, at));
      begin = at;
      count = 1;
    }
    out.push_back(piece.part(begin, piece.text.size()));
    return true;
  }

 private:
  std::uint64_t length_;
};

constexpr char const* kGpt2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// Appends the steps of a pre-tokenizer.
class StepMaker {
 public:
  explicit StepMaker(std::vector<Step>& steps) : steps_(steps) {}

  Result<void> operator()(BertPreTokenizer const&) {
    split(match_facts(kWhiteSpace), SplitBehavior::removed);
    return split(match_facts(kPunctuation), SplitBehavior::isolated);
  }
  Result<void> operator()(WhitespacePreTokenizer const&) { return split(match_words(), SplitBehavior::removed, true); }
  Result<void> operator()(WhitespaceSplit const&) { return split(match_facts(kWhiteSpace), SplitBehavior::removed); }
  Result<void> operator()(UnicodeScripts const&) { return add(std::make_unique<ScriptsStep const>()); }
  Result<void> operator()(CharDelimiterSplit const& spec) {
    return split(match_char(spec.delimiter), SplitBehavior::removed);
  }
  Result<void> operator()(MetaspacePreTokenizer const& spec) {
    return add(std::make_unique<MetaspaceStep const>(spec));
  }
  Result<void> operator()(PunctuationPreTokenizer const& spec) {
    return split(match_facts(kPunctuation), spec.behavior);
  }
  Result<void> operator()(DigitsPreTokenizer const& spec) {
    return split(match_facts(kNumeric), spec.individual ? SplitBehavior::isolated : SplitBehavior::contiguous);
  }
  Result<void> operator()(FixedLengthPreTokenizer const& spec) {
    return add(std::make_unique<FixedLengthStep const>(spec.length));
  }
  Result<void> operator()(SplitPreTokenizer const& spec) {
    auto matcher = match_pattern(spec.pattern);
    if (matcher.has_error()) return Error(ErrorKind::bad_request, "Split: " + matcher.error().message);
    return split(std::move(*matcher), spec.behavior, spec.invert);
  }
  Result<void> operator()(ByteLevelPreTokenizer const& spec) {
    auto matcher = match_pattern({true, kGpt2Pattern});
    if (matcher.has_error()) return matcher.error();
    return add(std::make_unique<ByteLevelPreStep const>(spec, std::move(*matcher)));
  }

 private:
  Result<void> add(Step step) {
    steps_.push_back(std::move(step));
    return {};
  }
  Result<void> split(MatcherPtr matcher, SplitBehavior behavior, bool invert = false) {
    return add(std::make_unique<SplitStep const>(std::move(matcher), behavior, invert));
  }

  std::vector<Step>& steps_;
};

}  // namespace

Result<PreTokenizerChain> PreTokenizerChain::make(std::vector<PreTokenizerSpec> const& specs) {
  PreTokenizerChain chain;
  for (PreTokenizerSpec const& spec : specs) {
    auto const made = std::visit(StepMaker(chain.steps_), spec);
    if (made.has_error()) return made.error();
  }
  return chain;
}

bool PreTokenizerChain::apply(std::vector<Piece>& pieces, SplitScratch& scratch) const {
  for (Step const& step : steps_) {
    scratch.pieces.clear();
    for (Piece const& piece : pieces) {
      if (piece.is_token()) {
        scratch.pieces.push_back(piece);
      } else if (!step->apply(piece, scratch, scratch.pieces)) {
        return false;
      }
    }
    pieces.swap(scratch.pieces);
  }
  return true;
}

bool PreTokenizerChain::asks_origin() const noexcept {
  return std::any_of(steps_.begin(), steps_.end(), [](Step const& step) { return step->asks_origin(); });
}

bool PreTokenizerChain::needs_origins() const noexcept {
  bool rewritten = false;
  for (Step const& step : steps_) {
    if (rewritten && step->asks_origin()) return true;
    rewritten |= step->rewrites();
  }
  return false;
}

}  // namespace kvgate::text
