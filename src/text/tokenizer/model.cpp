#include "text/tokenizer/model.hpp"

namespace kvgate::text {
namespace {

class WordLevelModel final : public Model {
 public:
  explicit WordLevelModel(ModelSpec&& spec) : vocabulary_(std::move(spec.vocabulary)) {
    unk_ = vocabulary_.find(spec.unk_token.value_or(""));
  }

  std::unique_ptr<ModelScratch> make_scratch() const override { return std::make_unique<ModelScratch>(); }

  bool encode(std::string_view text, ModelScratch&, std::vector<std::uint32_t>& out) const override {
    auto const id = vocabulary_.find(text);
    if (!id && !unk_) return false;
    out.push_back(id ? *id : *unk_);
    return true;
  }

  std::size_t memory() const noexcept override { return vocabulary_.memory(); }

 private:
  Vocabulary vocabulary_;
  std::optional<std::uint32_t> unk_;
};

}  // namespace

std::unique_ptr<Model const> make_word_level_model(ModelSpec&& spec) {
  return std::make_unique<WordLevelModel const>(std::move(spec));
}

std::unique_ptr<Model const> make_model(ModelSpec&& spec) {
  switch (spec.kind) {
    case ModelKind::bpe:
      return make_bpe_model(std::move(spec));
    case ModelKind::word_piece:
      return make_word_piece_model(std::move(spec));
    case ModelKind::word_level:
      return make_word_level_model(std::move(spec));
    default:
      return make_unigram_model(std::move(spec));
  }
}

}  // namespace kvgate::text
