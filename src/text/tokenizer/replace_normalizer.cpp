#include "text/tokenizer/matcher.hpp"
#include "text/tokenizer/normalizer_steps.hpp"

namespace kvgate::text {
namespace {

class ReplaceStep final : public Normalizer {
 public:
  ReplaceStep(std::unique_ptr<Matcher const> matcher, std::string content)
      : matcher_(std::move(matcher)), content_(std::move(content)) {}

  bool apply(Piece const& piece, Rewritten& out, NormalizeScratch& scratch) const override {
    scratch.stretches.clear();
    if (!matcher_->find(piece.text, scratch.regex, scratch.stretches)) scratch.problem = kTooHard;
    if (scratch.problem || (scratch.stretches.size() == 1 && !scratch.stretches[0].is_match)) return false;
    out.loose = piece.loose;
    for (Stretch const& stretch : scratch.stretches) {
      if (stretch.is_match) {
        out.loose |= stretch.end == 0 && !content_.empty();
        out.put(content_, stretch.end == 0 ? piece.shift : origin_at(piece, stretch.end - 1));
      } else {
        out.copy(piece, stretch.begin, stretch.end);
      }
    }
    return true;
  }

  bool takes_loose() const noexcept override { return true; }

 private:
  std::unique_ptr<Matcher const> matcher_;
  std::string content_;
};

}  // namespace

Result<std::unique_ptr<Normalizer const>> make_replace_normalizer(ReplaceNormalizer const& spec) {
  auto matcher = match_pattern(spec.pattern);
  if (matcher.has_error()) return Error(ErrorKind::bad_request, "Replace: " + matcher.error().message);
  return std::unique_ptr<Normalizer const>(std::make_unique<ReplaceStep const>(std::move(*matcher), spec.content));
}

}  // namespace kvgate::text
