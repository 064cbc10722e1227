#include "text/bpe/byte_level_encoder.hpp"

#include <bit>
#include <utility>

#include "text/bpe/piece_starts.hpp"
#include "text/bpe/scan_cl100k.hpp"
#include "text/bpe/scan_deepseek.hpp"
#include "text/bpe/scan_gpt2.hpp"
#include "text/bpe/scan_o200k.hpp"

namespace kvgate::text::bpe {
namespace {

/// The pieces of a text in order: many at a time where it is ASCII, else one by one.
template <class Scanner>
class Pieces {
 public:
  explicit Pieces(std::string_view text) noexcept : at_(text.data()), end_(at_ + text.size()) {}

  char const* end() const noexcept { return end_; }
  bool done() const noexcept { return at_ == end_; }

  /// There is one.
  std::string_view next() noexcept {
    if (ends_ == 0) look_ahead();
    auto const piece_end = ends_ != 0 ? base_ + std::countr_zero(ends_) : Scanner::next(at_, end_);
    ends_ &= ends_ - 1;
    return {std::exchange(at_, piece_end), piece_end};
  }

 private:
  /// Where a window ended at once, as in texts that are hardly ASCII, the next one likely would.
  void look_ahead() noexcept {
    base_ = at_;
    if (static_cast<signed char>(*at_) < 0 || patience_-- > 0) return;
    ends_ = PieceStarts<Scanner::kTraits>::find(at_, end_);
    patience_ = ends_ == 0 ? 4 : 0;
  }

  char const* at_;
  char const* end_;
  char const* base_ = nullptr;
  int patience_ = 0;    ///< pieces to go one by one
  Positions ends_ = 0;  ///< where pieces end, counted from base_
};

template <class Scanner>
class ByteLevelEncoder final : public SegmentEncoder {
 public:
  explicit ByteLevelEncoder(std::unique_ptr<ByteWords const> words) : words_(std::move(words)) {}

  void encode(Segment segment, Scratch& scratch, std::vector<std::uint32_t>& out) const override {
    scratch.bind(serial());
    Pieces<Scanner> pieces(segment.text);
    while (!pieces.done()) {
      while (!pieces.done() && !scratch.batch.full()) {
        auto const piece = pieces.next();
        scratch.batch.add(piece, words_at(piece.data(), pieces.end()), scratch.memory);
      }
      scratch.batch.append_to(out, *words_, scratch.memory);
    }
  }

  bool normalizes() const noexcept override { return false; }
  std::size_t memory() const noexcept override { return sizeof *this + words_->memory(); }

 private:
  std::unique_ptr<ByteWords const> words_;
};

/// Calls `use` with the scanner of the pattern.
template <class Use>
auto with_scanner(SplitPattern pattern, Use use) {
  switch (pattern) {
    case SplitPattern::gpt2:
      return use(Gpt2Scanner{});
    case SplitPattern::cl100k:
      return use(Cl100kScanner<3, kinds::kLetter>{});
    case SplitPattern::qwen2:
      return use(Cl100kScanner<1, kinds::kLetter>{});
    case SplitPattern::qwen3_5:
      return use(Cl100kScanner<1, kinds::kLetter | kinds::kMark>{});
    case SplitPattern::o200k:
      return use(O200kScanner<3, true>{});
    case SplitPattern::tekken:
      return use(O200kScanner<1, false>{});
    case SplitPattern::deepseek_v3:
      break;
  }
  return use(DeepSeekScanner{});
}

}  // namespace

std::unique_ptr<SegmentEncoder const> make_byte_level_encoder(ModelSpec const& model, SplitPattern pattern) {
  auto words = ByteWords::make(model);
  if (!words) return nullptr;
  return with_scanner(pattern, [&words]<class Scanner>(Scanner) -> std::unique_ptr<SegmentEncoder const> {
    return std::make_unique<ByteLevelEncoder<Scanner> const>(std::move(words));
  });
}

void for_each_piece(SplitPattern pattern, std::string_view text, PieceSink const& piece) {
  with_scanner(pattern, [&]<class Scanner>(Scanner) {
    for (Pieces<Scanner> pieces(text); !pieces.done();) piece(pieces.next());
  });
}

}  // namespace kvgate::text::bpe
