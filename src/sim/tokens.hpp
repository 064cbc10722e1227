// The simulated tokenizer: every four bytes of text are one token, whose id is those bytes. Deterministic and
// reversible.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kvgate::sim {

using Tokens = std::vector<std::uint32_t>;

/// The last token has fewer bytes when the length is no multiple of four.
Tokens tokenize(std::string_view text);

/// Undoes tokenize(). Ids that tokenize() never makes still yield text.
std::string detokenize(std::span<std::uint32_t const> tokens);

/// Chained hashes of the full blocks of `block_size` tokens: the n-th stands for everything up to the end of block n.
/// `salt` separates prompts that must not share blocks (cache_salt, LoRA adapter).
std::vector<std::uint64_t> block_hashes(std::span<std::uint32_t const> tokens, std::uint32_t block_size,
                                        std::string_view salt);

}  // namespace kvgate::sim
