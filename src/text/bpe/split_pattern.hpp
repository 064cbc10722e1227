// The split patterns that are matched by hand, known by their exact text.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "text/spec/spec.hpp"

namespace kvgate::text::bpe {

enum class SplitPattern {
  gpt2,         ///< ByteLevel with use_regex
  cl100k,       ///< Llama 3, GLM 4, Phi 4: numbers by three
  qwen2,        ///< Qwen 2 to 3: the same, numbers one by one
  qwen3_5,      ///< Qwen 3.5 and 3.6: marks are part of words
  o200k,        ///< gpt-oss, Llama 4
  tekken,       ///< Mistral: o200k without contractions, numbers one by one
  deepseek_v3,  ///< three patterns one after the other
};

/// The pattern of a whole pre-tokenizer that ends in ByteLevel; nullopt when it is none of these.
std::optional<SplitPattern> known_split(std::vector<PreTokenizerSpec> const& pre_tokenizers);

/// The same for the single regular expression of tekken.json.
std::optional<SplitPattern> known_regex(std::string_view regex) noexcept;

}  // namespace kvgate::text::bpe
