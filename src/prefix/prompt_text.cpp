#include "prefix/prompt_text.hpp"

#include <limits>

#include "prefix/block_hasher.hpp"
#include "prefix/mix.hpp"
#include "prefix/prompt_writer.hpp"
#include "prefix/sim_hasher.hpp"

namespace kvgate::prefix {

void hash_prompt(openai::RequestView const& request, std::uint64_t seed, PromptBlocks& out) {
  out.hashes.clear();
  BlockHasher hasher(seed, &out.hashes);
  PromptWriter writer(hasher, kMediaBytes / sizeof(std::uint64_t));
  writer.write(request, std::numeric_limits<std::uint64_t>::max());
  hasher.finish();
  out.text_bytes = hasher.size();
}

void hash_tokens(std::span<std::uint32_t const> ids, std::uint64_t seed, PromptBlocks& out) {
  out.hashes.clear();
  BlockHasher hasher(seed, &out.hashes);
  hasher.put({reinterpret_cast<char const*>(ids.data()), ids.size_bytes()});
  hasher.finish();
  out.text_bytes = hasher.size();
}

std::uint64_t prompt_seed(std::string_view engine_side_model, std::string_view cache_salt) {
  BlockHasher hasher(kRoots[3]);
  hasher.put(engine_side_model);
  hasher.put("\xFF");
  hasher.put(cache_salt);
  return hasher.digest();
}

std::uint64_t prompt_simhash(openai::RequestView const& request, std::size_t max_bytes) {
  SimHasher hasher(max_bytes);
  PromptWriter writer(hasher, 1);
  writer.write(request, max_bytes);
  return hasher.digest();
}

}  // namespace kvgate::prefix
