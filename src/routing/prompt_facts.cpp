#include <algorithm>

#include "kvgate/route_context.hpp"
#include "openai/request_view.hpp"
#include "prefix/prompt_text.hpp"

namespace kvgate {

using prefix::kBytesPerToken;

PromptFacts::PromptFacts(openai::RequestView const& request, std::string_view model,
                         prefix::PromptBlocks& scratch) noexcept
    : request_(request), model_(model), scratch_(&scratch) {}

PromptFacts::PromptFacts(openai::RequestView const& request, Recorded recorded) noexcept
    : request_(request), scratch_(nullptr), recorded_(recorded) {}

prefix::PromptBlocks const& PromptFacts::hashed() {
  if (!hashed_) {
    auto const seed = prefix::prompt_seed(model_, request_.cache_salt.value_or(""));
    if (is_tokenized()) {
      prefix::hash_tokens(ids_, seed, *scratch_);
    } else {
      prefix::hash_prompt(request_, seed, *scratch_);
    }
    hashed_ = true;
  }
  return *scratch_;
}

std::uint64_t PromptFacts::tokens() {
  if (recorded_) return recorded_->tokens;
  if (is_tokenized()) return ids_.size();
  // Not worth hashing for: what routes without prefixes guesses from the JSON.
  if (!hashed_) return std::max<std::uint64_t>(1, (request_.prompt.size() + request_.messages.size()) / kBytesPerToken);
  return std::max<std::uint64_t>(1, scratch_->text_bytes / kBytesPerToken);
}

std::span<std::uint64_t const> PromptFacts::blocks() {
  return scratch_ ? std::span<std::uint64_t const>(hashed().hashes) : std::span<std::uint64_t const>();
}

std::uint64_t PromptFacts::text_bytes() { return scratch_ ? hashed().text_bytes : 0; }

std::uint64_t PromptFacts::simhash(std::size_t max_bytes) {
  return recorded_ ? recorded_->simhash : prefix::prompt_simhash(request_, max_bytes);
}

}  // namespace kvgate
