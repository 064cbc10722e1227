// What an engine will see as the prompt, as hashes. Text mode: no tokenizer, no chat template; what the engine would
// render the same hashes the same, and what it would render differently from some byte on differs from there on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "prefix/block_hasher.hpp"

namespace kvgate::openai {
struct RequestView;
}

namespace kvgate::prefix {

/// A prompt as the index of prefixes sees it. Reused between requests: nothing is allocated when warm.
struct PromptBlocks {
  std::vector<BlockHash> hashes;  ///< chained: hashes[i] stands for the bytes 0 to (i+1)*kBlockBytes of the prompt
                                  ///< text; whole blocks only
  std::uint64_t text_bytes = 0;   ///< of the whole prompt text: the blocks, the rest and what is beyond kMaxBlocks; a token id
                                  ///< is kBytesPerToken of them
};

/// What an image, a sound or a video counts in the prompt text: some 256 tokens, however long its URL or data are.
inline constexpr std::size_t kMediaBytes = 1024;

/// Hashes over the decoded text: escapes, white space and the order of keys make no difference. Everything that enters
/// the prompt counts, tools and system prompt first, roles and the borders of messages included; a chat's hashes are
/// the beginning of its next turn's. Media count by their URL or their data. The view must still be valid; what is
/// broken inside it ends the text. `out` is overwritten.
void hash_prompt(openai::RequestView const& request, std::uint64_t seed, PromptBlocks& out);

/// The same of a prompt whose token ids are known: blocks of kBlockTokens of them.
void hash_tokens(std::span<std::uint32_t const> ids, std::uint64_t seed, PromptBlocks& out);

/// What makes equal texts different prompts. `engine_side_model` is what the engine calls it, an adapter's name
/// included; `cache_salt` as vLLM has it, "" for none.
std::uint64_t prompt_seed(std::string_view engine_side_model, std::string_view cache_salt);

inline constexpr std::size_t kSimHashBytes = 512;

/// SimHash of the first `max_bytes` of the same text; media count eight bytes. Without a seed: every replica agrees.
std::uint64_t prompt_simhash(openai::RequestView const& request, std::size_t max_bytes = kSimHashBytes);

}  // namespace kvgate::prefix
