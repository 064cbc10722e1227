// A tokenizer that remembers: of a conversation's next turn only what is new is encoded.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "text/cache/segment_cache.hpp"
#include "text/tokenizer/token_trie.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace kvgate::text {

/// Immutable, shared between threads.
class CachedEncoder {
 public:
  explicit CachedEncoder(std::shared_ptr<Tokenizer const> tokenizer);

  /// The same ids, or the same error, as Tokenizer::encode(). The text is cut behind each of the tokenizer's cut_tokens(),
  /// and each part that is known is not encoded anew. With special tokens to add, which belong to the whole text,
  /// nothing is remembered.
  Result<void> encode(std::string_view utf8, EncodeOptions options, SegmentCache& cache, TokenizerScratch& scratch,
                      std::vector<std::uint32_t>& out) const;

 private:
  std::string_view first_part(std::string_view text) const noexcept;

  std::shared_ptr<Tokenizer const> tokenizer_;
  TokenTrie cuts_;
  std::uint64_t owner_;   ///< of texts that begin a prompt; the next number is of those that continue one
};

}  // namespace kvgate::text
