#include "prefix/sim_hasher.hpp"

#include "prefix/mix.hpp"

namespace kvgate::prefix {
namespace {

constexpr std::size_t kShingle = 8;
constexpr std::uint64_t kLowBits = 0x0101010101010101;

}  // namespace

void SimHasher::consume(std::string_view piece) {
  piece = piece.substr(0, left_);
  left_ -= piece.size();
  for (auto const c : piece) {
    window_ = window_ >> 8 | std::uint64_t{static_cast<unsigned char>(c)} << 56;
    if (++bytes_ >= kShingle) add_shingle();
  }
}

void SimHasher::add_shingle() noexcept {
  auto const hash = fold(window_ ^ kRoots[0], kRoots[1]);
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i] += hash >> i & kLowBits;
  if (++shingles_ % 255 == 0) empty_columns();
}

void SimHasher::empty_columns() noexcept {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += columns_[i % 8] >> (i / 8 * 8) & 0xFF;
  columns_.fill(0);
}

std::uint64_t SimHasher::digest() {
  flush();
  if (bytes_ < kShingle) add_shingle();
  empty_columns();
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    hash |= std::uint64_t{counts_[i] > shingles_ / 2} << i;
  }
  return hash;
}

}  // namespace kvgate::prefix
