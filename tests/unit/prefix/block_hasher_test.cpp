#include "prefix/block_hasher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <string>

namespace kvgate::prefix {
namespace {

std::vector<BlockHash> hash(std::string_view text, std::uint64_t seed = 1) {
  std::vector<BlockHash> hashes;
  BlockHasher hasher(seed, &hashes);
  hasher.put(text);
  hasher.finish();
  return hashes;
}

TEST(BlockHasher, OnlyTheBytesCountNotThePieces) {
  std::mt19937 random(1);
  std::string text(20'000, '\0');
  for (auto& c : text) c = static_cast<char>(random());
  auto const expected = hash(text);
  ASSERT_EQ(expected.size(), text.size() / kBlockBytes);
  for (std::size_t longest : {1u, 7u, 16u, 17u, 63u, 64u, 65u, 255u, 300u, 3000u}) {
    std::vector<BlockHash> hashes;
    BlockHasher hasher(1, &hashes), digest(1);
    for (std::string_view rest = text; !rest.empty();) {
      auto const piece = rest.substr(0, random() % (longest + 1));
      hasher.put(piece, rest.data() + rest.size());
      digest.put(piece);
      rest.remove_prefix(piece.size());
    }
    hasher.finish();
    EXPECT_EQ(hashes, expected) << longest;
    EXPECT_EQ(hasher.size(), text.size());
    BlockHasher whole(1);
    whole.put(text);
    EXPECT_EQ(digest.digest(), whole.digest());
  }
}

TEST(BlockHasher, DigestKnowsTheLength) {
  std::vector<std::uint64_t> digests;
  for (std::size_t size = 0; size < 200; ++size) {
    BlockHasher hasher(1);
    hasher.put(std::string(size, '\0'));
    digests.push_back(hasher.digest());
  }
  std::sort(digests.begin(), digests.end());
  EXPECT_EQ(std::adjacent_find(digests.begin(), digests.end()), digests.end());
}

/// Blocks that differ in little: counters as text and as numbers, at each place, and one long chain of equal blocks.
TEST(BlockHasher, NoCollisionsInTenMillionBlocks) {
  constexpr std::size_t kBlocks = 10'000'000;
  std::vector<BlockHash> all;
  all.reserve(kBlocks + kMaxBlocks);
  std::string block(kBlockBytes, '\0');
  std::vector<BlockHash> hashes;
  for (std::uint32_t i = 0; all.size() < kBlocks; ++i) {
    auto const place = i % 15 * 4;
    std::fill(block.begin(), block.end(), i % 2 == 0 ? '\0' : 'x');
    std::memcpy(block.data() + place, &i, sizeof i);
    hashes.clear();
    BlockHasher hasher(7, &hashes);
    hasher.put(block);
    hasher.finish();
    all.push_back(hashes.front());
  }
  auto const chain = hash(std::string(kMaxBlocks * kBlockBytes, 'y'));
  all.insert(all.end(), chain.begin(), chain.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST(BlockHasher, EachBitOfABlockMovesHalfOfTheHash) {
  std::mt19937_64 random(5);
  double least = 64, most = 0;
  for (std::size_t bit = 0; bit < 8 * kBlockBytes; ++bit) {
    int changed = 0;
    constexpr int kRounds = 200;
    for (int round = 0; round < kRounds; ++round) {
      std::string text(2 * kBlockBytes, '\0');
      for (auto& c : text) c = static_cast<char>('a' + random() % 26);
      auto const before = hash(text);
      text[bit / 8] = static_cast<char>(text[bit / 8] ^ 1 << bit % 8);
      auto const after = hash(text);
      changed += std::popcount(before[0] ^ after[0]) + std::popcount(before[1] ^ after[1]);
    }
    least = std::min(least, changed / 2.0 / kRounds);
    most = std::max(most, changed / 2.0 / kRounds);
  }
  EXPECT_GT(least, 30);
  EXPECT_LT(most, 34);
}

TEST(BlockHasher, TheSeedMovesEveryHash) {
  std::string const text(10 * kBlockBytes, 'a');
  auto const one = hash(text, 1), other = hash(text, 2);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_GT(std::popcount(one[i] ^ other[i]), 8) << i;
}

}  // namespace
}  // namespace kvgate::prefix
