// Cuts a text into blocks and hashes them as they fill up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "prefix/block_hash.hpp"
#include "prefix/text_sink.hpp"

namespace kvgate::prefix {

inline constexpr std::size_t kBlockBytes = 64;
inline constexpr std::uint32_t kBlockTokens = 16;  ///< that a block is taken for where nothing better is known
inline constexpr std::uint32_t kBytesPerToken = kBlockBytes / kBlockTokens;
inline constexpr std::size_t kMaxBlocks = 65'536;  ///< 4 MiB of text; what follows is only counted

class BlockHasher final : public TextSink {
 public:
  /// `hashes` outlives the hasher and is appended to; nullptr: only digest() is wanted, and nothing is too long.
  explicit BlockHasher(std::uint64_t seed, std::vector<BlockHash>* hashes = nullptr) noexcept
      : hashes_(hashes), chain_(seed) {}

  /// Call one of these two, once, at the end. Whole blocks are in `hashes` then.
  void finish() { flush(); }
  /// Of everything, an incomplete block included.
  std::uint64_t digest();

 private:
  void consume(std::string_view piece) override;
  void add_blocks(char const* data, std::size_t count);

  std::vector<BlockHash>* hashes_;
  std::uint64_t chain_;
  std::size_t rest_size_ = 0;  // always less than a block
  std::array<char, kBlockBytes> rest_;
};

}  // namespace kvgate::prefix
