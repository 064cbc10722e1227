// What one thread needs to encode with one encoder: working memory, and what it has found of words lately.
#pragma once

#include <cstdint>
#include <string>

#include "text/bpe/word_batch.hpp"
#include "text/bpe/word_memory.hpp"

namespace kvgate::text::bpe {

/// Bounded: WordMemory::kBytes, and what the longest words need while they are encoded. Not thread-safe. Given to
/// another encoder it starts anew.
class Scratch {
 public:
  /// Forgets words that another encoder found.
  void bind(std::uint64_t encoder) {
    if (encoder == encoder_) return;
    if (encoder_ != 0) memory = WordMemory{};
    encoder_ = encoder;
  }

  WordMemory memory;
  WordBatch batch;
  std::string text;  ///< a segment that had to be rewritten

 private:
  std::uint64_t encoder_ = 0;
};

}  // namespace kvgate::text::bpe
