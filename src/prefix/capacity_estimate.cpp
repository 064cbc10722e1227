#include "prefix/capacity_estimate.hpp"

#include <algorithm>

namespace kvgate::prefix {

void CapacityEstimate::configure(std::uint64_t blocks) noexcept {
  auto const told = blocks == 0 ? unlimited : blocks;
  bool const known = told != unlimited && told_ != unlimited;
  // The same number of tokens in blocks of ours drifts with the bytes that tokens turn out to have.
  if (told == told_ || (known && std::max(told, told_) - std::min(told, told_) < told_ / 16)) return;
  told_ = told;
  forget();
}

std::uint64_t CapacityEstimate::least() const noexcept {
  return told_ == unlimited ? 256 : std::max<std::uint64_t>(told_ / 8, 1);
}

void CapacityEstimate::lost(std::uint64_t depth, std::uint64_t live) noexcept {
  if (depth < confirmed_) {
    confirmed_ -= confirmed_ / 16 + 1;
    return;
  }
  // While fewer blocks are live than the limit allows, the limit says nothing: what is wrong is that all these live.
  auto const from = std::min(limit(), live);
  if (depth >= from) return;
  learned_ = std::min(limit(), std::max(least(), from - ((from - depth) / 8 + 1)));
}

void CapacityEstimate::kept(std::uint64_t depth) noexcept {
  if (depth > confirmed_) confirmed_ = depth;
}

void CapacityEstimate::outlived() noexcept {
  if (learned_ == unlimited) return;
  learned_ += learned_ / 32 + 1;
  if (learned_ >= told_) learned_ = unlimited;
}

}  // namespace kvgate::prefix
