#include "routing/learning.hpp"

#include "fleet/endpoint.hpp"
#include "prefix/prompt_text.hpp"

namespace kvgate::routing {
namespace {

constexpr std::uint64_t kTelling = 4096;   // bytes of text from which on tokens per byte mean something

/// Cached tokens as the engine counts them, in blocks of ours.
std::uint32_t in_blocks(std::uint64_t tokens, Decision const& decision, std::uint64_t prompt_tokens) {
  double const share = static_cast<double>(tokens) / static_cast<double>(prompt_tokens);
  return static_cast<std::uint32_t>(share * static_cast<double>(decision.text_bytes) / prefix::kBlockBytes);
}

bool computed(Outcome const& outcome) {
  return outcome.first_byte && outcome.status >= 200 && outcome.status < 300;
}

}  // namespace

void believe(Decision& decision, PromptFacts& prompt) {
  decision.blocks = prompt.blocks();
  decision.text_bytes = prompt.text_bytes();
  if (!decision.blocks.empty()) decision.belief = decision.endpoint->cached_blocks().touch(decision.blocks);
}

void learn(Decision const& decision, Outcome const& outcome) {
  auto& endpoint = *decision.endpoint;
  if (!computed(outcome)) {
    if (!decision.blocks.empty()) endpoint.cached_blocks().retract(decision.blocks, decision.belief);
    return;
  }
  if (outcome.prefill.count() > 0)
    endpoint.prefill_rate().learn(static_cast<double>(decision.tokens_to_compute()), outcome.prefill);
  if (decision.blocks.empty() || outcome.prompt_tokens.value_or(0) == 0) return;
  if (decision.text_bytes >= kTelling)
    endpoint.learn_bytes_per_token(static_cast<double>(decision.text_bytes) / static_cast<double>(*outcome.prompt_tokens));
  if (outcome.cached_tokens)
    endpoint.cached_blocks().observed(decision.belief, in_blocks(*outcome.cached_tokens, decision, *outcome.prompt_tokens));
}

}  // namespace kvgate::routing
