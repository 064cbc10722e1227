// What enters an engine's prompt besides the prompt itself or the messages.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kvgate::openai {

/// Top-level fields of a request body, each named as in JSON, in the order in which they stand in a prompt: what
/// chooses or feeds the chat template, which mostly changes how the prompt begins, then what is written at its
/// beginning. The last four are what the score and rerank APIs compare with the query; `documents` is also what a chat
/// template cites.
enum class PromptPart : std::uint8_t {
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

inline constexpr std::size_t kPromptParts = static_cast<std::size_t>(PromptPart::data_2) + 1;

}  // namespace kvgate::openai
