#include "prefix/block_hasher.hpp"

#include <algorithm>
#include <cstring>

#include "prefix/mix.hpp"

namespace kvgate::prefix {
namespace {

/// The four products of a block do not wait for the block before it: only the last one is in the chain.
[[gnu::always_inline]] inline BlockHash next_hash(BlockHash before, char const* block) noexcept {
  auto const pair = [block](std::size_t i) {
    return fold(load64(block + 8 * i) ^ kRoots[i], load64(block + 8 * i + 8) ^ kRoots[i + 1]);
  };
  return fold(before ^ kRoots[8] ^ pair(0) ^ pair(2), kRoots[9] ^ pair(4) ^ pair(6));
}

}  // namespace

void BlockHasher::consume(std::string_view piece) {
  if (rest_size_ > 0) {
    auto const taken = std::min(kBlockBytes - rest_size_, piece.size());
    std::memcpy(rest_.data() + rest_size_, piece.data(), taken);
    rest_size_ += taken;
    if (rest_size_ < kBlockBytes) return;
    add_blocks(rest_.data(), 1);
    piece.remove_prefix(taken);
  }
  auto const whole = piece.size() / kBlockBytes;
  add_blocks(piece.data(), whole);
  rest_size_ = piece.size() % kBlockBytes;
  std::memcpy(rest_.data(), piece.data() + whole * kBlockBytes, rest_size_);
}

void BlockHasher::add_blocks(char const* data, std::size_t count) {
  auto chain = chain_;
  if (hashes_ == nullptr) {
    for (std::size_t i = 0; i < count; ++i) chain = next_hash(chain, data + i * kBlockBytes);
  } else {
    auto const before = hashes_->size();
    count = std::min(count, kMaxBlocks - before);
    hashes_->resize(before + count);
    auto* const to = hashes_->data() + before;
    for (std::size_t i = 0; i < count; ++i) to[i] = chain = next_hash(chain, data + i * kBlockBytes);
  }
  chain_ = chain;
}

std::uint64_t BlockHasher::digest() {
  auto const length = size();
  flush();
  std::fill(rest_.begin() + static_cast<std::ptrdiff_t>(rest_size_), rest_.end(), '\0');
  return next_hash(chain_ ^ fold(length ^ kRoots[0], kRoots[1]), rest_.data());
}

}  // namespace kvgate::prefix
