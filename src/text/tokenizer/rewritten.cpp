#include "text/tokenizer/rewritten.hpp"

namespace kvgate::text {
namespace {

/// Walks over the code points of the old text as they are replaced or removed.
class OldText {
 public:
  explicit OldText(Piece const& piece) : piece_(piece) {}

  std::size_t at() const noexcept { return at_; }
  void skip(std::size_t code_points) noexcept {
    for (; code_points > 0 && at_ < piece_.text.size(); --code_points) at_ += sequence_length(piece_.text[at_]);
  }
  /// What is put in counts with what stands before it.
  std::uint32_t origin(bool put_in) const noexcept {
    if (put_in) return at_ == 0 ? piece_.shift : piece_.origins[at_ - 1];
    return at_ < piece_.text.size() ? piece_.origins[at_] : piece_.shift;
  }

 private:
  Piece const& piece_;
  std::size_t at_ = 0;
};

}  // namespace

void Rewritten::align(Piece const& piece, std::span<Change const> changes) {
  OldText old(piece);
  std::size_t end = 0;
  for (Change const change : changes) {
    end += sequence_length(text[end]);
    origins.resize(end, old.origin(change > 0));
    if (change <= 0) old.skip(1 + static_cast<std::size_t>(-change));
  }
}

}  // namespace kvgate::text
