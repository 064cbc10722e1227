// Prompts for the tests of the prefix index, and its parts spelled out plainly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <vector>

#include "prefix/cached_blocks.hpp"

namespace kvgate::prefix::test {

using Prompt = std::vector<BlockHash>;

constexpr std::uint64_t plenty = std::uint64_t{1} << 30;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

inline BlockHash mix(BlockHash parent, std::uint64_t token) {
  auto x = parent ^ (token + 0x9e3779b97f4a7c15u);
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

inline void extend(Prompt& prompt, std::uint64_t token) {
  prompt.push_back(mix(prompt.empty() ? 1 : prompt.back(), token));
}

/// A prompt that shares nothing with those of other seeds.
inline Prompt prompt_of(std::uint64_t seed, std::size_t blocks) {
  Prompt prompt;
  for (std::size_t i = 0; i < blocks; ++i) extend(prompt, seed);
  return prompt;
}

/// A prompt that shares beginnings of all lengths with others: a random walk down a tree.
inline Prompt random_prompt(std::mt19937_64& random, std::size_t max_blocks) {
  Prompt prompt;
  for (auto blocks = random() % max_blocks + 1; blocks > 0; --blocks)
    extend(prompt, random() % 8 == 0 ? random() % 4 : 0);
  return prompt;
}

inline std::uint32_t known(CachedBlocks const& table, std::span<BlockHash const> prompt) {
  CachedBlocks const* const engines[] = {&table};
  std::uint32_t out[] = {99};
  CachedBlocks::longest_prefixes(engines, prompt, out);
  return out[0];
}

/// What CachedBlocks promises: LRU by whole requests.
class Model {
 public:
  explicit Model(std::uint64_t limit) : limit_(limit) {}

  void touch(Prompt const& prompt) {
    ++now_;
    for (std::size_t i = 0; i < std::min<std::size_t>(prompt.size(), limit_); ++i) last_use_[prompt[i]] = now_;
    while (last_use_.size() > limit_) drop_oldest();
  }

  std::uint32_t known(Prompt const& prompt) const {
    auto const unknown =
        std::find_if(prompt.begin(), prompt.end(), [&](auto block) { return !last_use_.contains(block); });
    return static_cast<std::uint32_t>(unknown - prompt.begin());
  }

  std::uint64_t size() const { return last_use_.size(); }
  /// How many blocks of the prompt would be new.
  std::uint64_t missing(Prompt const& prompt) const { return prompt.size() - known(prompt); }

 private:
  void drop_oldest() {
    auto const older = [](auto const& a, auto const& b) { return a.second < b.second; };
    auto const oldest = std::min_element(last_use_.begin(), last_use_.end(), older)->second;
    std::erase_if(last_use_, [&](auto const& block) { return block.second == oldest; });
  }

  std::uint64_t const limit_;
  std::uint64_t now_ = 0;
  std::map<BlockHash, std::uint64_t> last_use_;
};

}  // namespace kvgate::prefix::test
