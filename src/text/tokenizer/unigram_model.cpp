#include <algorithm>
#include <array>
#include <limits>

#include "text/tokenizer/double_array.hpp"
#include "text/tokenizer/model.hpp"
#include "text/tokenizer/piece_cache.hpp"
#include "text/unicode/code_point.hpp"

namespace kvgate::text {
namespace {

/// The best way to the place where it stands.
struct Step {
  double score = 0;
  std::uint32_t begin = kNowhere;
  std::uint32_t id = 0;

  static constexpr std::uint32_t kNowhere = 0xffffffff;
};

struct UnigramScratch final : ModelScratch {
  std::vector<Step> steps;
  std::vector<std::uint32_t> ids;  ///< from the end of the text
  PieceCache cache;
};

/// Viterbi over all tokens; of equal scores the one found first stays.
class UnigramModel final : public Model {
 public:
  explicit UnigramModel(ModelSpec&& spec)
      : vocabulary_(std::move(spec.vocabulary)), scores_(std::move(spec.scores)), unk_(spec.unk_id) {
    std::vector<DoubleArray::Entry> entries;
    entries.reserve(vocabulary_.size());
    for (auto const& entry : vocabulary_.entries()) entries.emplace_back(vocabulary_.text(entry), entry.id);
    tokens_ = DoubleArray(std::move(entries));
    double lowest = std::numeric_limits<double>::infinity();
    for (double const score : scores_) lowest = std::min(lowest, score);
    unk_score_ = lowest - kUnkPenalty;
    if (spec.byte_fallback) find_bytes();
  }

  std::unique_ptr<ModelScratch> make_scratch() const override { return std::make_unique<UnigramScratch>(); }

  bool encode(std::string_view text, ModelScratch& base, std::vector<std::uint32_t>& out) const override {
    auto& scratch = static_cast<UnigramScratch&>(base);
    if (scratch.cache.find(text, out)) return true;
    std::size_t const before = out.size();
    if (!encode_anew(text, scratch, out)) return false;
    scratch.cache.keep(text, std::span(out).subspan(before));
    return true;
  }

  std::size_t memory() const noexcept override {
    return vocabulary_.memory() + tokens_.memory() + scores_.capacity() * sizeof(double);
  }

 private:
  static constexpr double kUnkPenalty = 10;

  bool encode_anew(std::string_view text, UnigramScratch& scratch, std::vector<std::uint32_t>& out) const {
    scratch.steps.assign(text.size() + 1, {});
    for (std::size_t at = 0; at < text.size(); at += sequence_length(text[at])) {
      if (!step_from(at, text, scratch.steps)) return false;
    }
    return collect(text, scratch, out);
  }

  void find_bytes() {
    constexpr char const* kDigits = "0123456789ABCDEF";
    for (unsigned byte = 0; byte < 256; ++byte) {
      bytes_[byte] = vocabulary_.find(std::string("<0x") + kDigits[byte >> 4] + kDigits[byte & 15] + ">");
    }
  }

  bool step_from(std::size_t at, std::string_view text, std::vector<Step>& steps) const {
    std::size_t const one = sequence_length(text[at]);
    double const so_far = steps[at].score;
    bool has_one = false;
    auto const reach = [&](std::size_t end, double score, std::uint32_t id) {
      Step& step = steps[end];
      if (step.begin != Step::kNowhere && !(score > step.score)) return false;
      step = {score, static_cast<std::uint32_t>(at), id};
      return true;
    };
    tokens_.prefixes(text.substr(at), [&](std::size_t length, std::uint32_t id) {
      reach(at + length, scores_[id] + so_far, id);
      has_one |= length == one;
    });
    return has_one || !reach(at + one, unk_score_ + so_far, unk_.value_or(0)) || unk_.has_value();
  }

  /// Unknown stretches next to each other are one, and looked up again as one.
  bool collect(std::string_view text, UnigramScratch& scratch, std::vector<std::uint32_t>& out) const {
    scratch.ids.clear();
    std::size_t unknown_end = 0;
    for (std::size_t end = text.size(); end > 0;) {
      Step const& step = scratch.steps[end];
      bool const is_unknown = unk_ && step.id == *unk_;
      if (is_unknown && unknown_end == 0) unknown_end = end;
      if (!is_unknown && unknown_end != 0) {
        if (!add_unknown(text.substr(end, unknown_end - end), scratch.ids)) return false;
        unknown_end = 0;
      }
      if (!is_unknown) scratch.ids.push_back(step.id);
      end = step.begin;
    }
    if (unknown_end != 0 && !add_unknown(text.substr(0, unknown_end), scratch.ids)) return false;
    out.insert(out.end(), scratch.ids.rbegin(), scratch.ids.rend());
    return true;
  }

  bool add_unknown(std::string_view text, std::vector<std::uint32_t>& ids) const {
    if (auto const id = vocabulary_.find(text)) return ids.push_back(*id), true;
    bool const in_bytes = std::all_of(text.begin(), text.end(),
                                      [&](char byte) { return bytes_[static_cast<unsigned char>(byte)].has_value(); });
    if (in_bytes) {
      std::transform(text.rbegin(), text.rend(), std::back_inserter(ids),
                     [&](char byte) { return *bytes_[static_cast<unsigned char>(byte)]; });
      return true;
    }
    if (unk_) ids.push_back(*unk_);
    return unk_.has_value();
  }

  Vocabulary vocabulary_;
  std::vector<double> scores_;
  DoubleArray tokens_;
  double unk_score_ = 0;
  std::optional<std::uint32_t> unk_;
  std::array<std::optional<std::uint32_t>, 256> bytes_;
};

}  // namespace

std::unique_ptr<Model const> make_unigram_model(ModelSpec&& spec) {
  return std::make_unique<UnigramModel const>(std::move(spec));
}

}  // namespace kvgate::text
