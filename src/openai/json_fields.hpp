// The top-level keys of a request body that routing reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "openai/api.hpp"
#include "openai/prompt_part.hpp"

namespace kvgate::openai {

/// Those from `prompt` to `prompt_embeds` can hold the prompt; those from `chat_template` on are the PromptParts, in
/// their order. What only a sampler, a parser of the output or the end of the prompt depends on (tool_choice,
/// response_format, add_generation_prompt, ...) is none of these, nor is `suffix`, which vLLM refuses.
enum class Key : std::uint8_t {
  other,
  model,
  stream,
  messages,
  prompt,
  input,
  query,
  queries,
  text_1,
  data_1,
  texts,
  inputs,
  images,
  token_ids,
  prompt_embeds,
  max_completion_tokens,
  max_output_tokens,
  max_tokens,
  background,
  store,
  cache_salt,
  chat_template,
  chat_template_kwargs,
  reasoning_effort,
  reasoning,
  thinking,
  output_config,
  mm_processor_kwargs,
  media_io_kwargs,
  add_special_tokens,
  input_type,
  tools,
  system,
  instructions,
  previous_response_id,
  previous_input_messages,
  documents,
  items,
  text_2,
  data_2
};

/// The key of that (decoded) name; Key::other for all that routing does not read.
Key key_of(std::string_view name) noexcept;

/// Where this API has its prompt; the other prompt keys count only when this one is missing.
Key prompt_key(ApiKind api) noexcept;

/// Set for the keys whose value is a PromptPart.
constexpr std::optional<PromptPart> part_of(Key key) noexcept {
  if (key < Key::chat_template) return std::nullopt;
  return static_cast<PromptPart>(static_cast<int>(key) - static_cast<int>(Key::chat_template));
}
static_assert(part_of(Key::tools) == PromptPart::tools && part_of(Key::data_2) == PromptPart::data_2);

constexpr bool holds_prompt(Key key) noexcept {
  return key >= Key::prompt && key <= Key::prompt_embeds;
}

}  // namespace kvgate::openai
