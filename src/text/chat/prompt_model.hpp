// What turns requests for one model into prompts, without its vocabulary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "text/chat/chat_template.hpp"

namespace kvgate::text {

/// Who writes the prompt of a chat.
enum class Renderer : std::uint8_t {
  jinja,
  harmony,      ///< gpt-oss
  unsupported,  ///< code of the engine's own that is not rebuilt here
};

/// How the engine joins the texts of /v1/score and /v1/rerank.
enum class Scoring : std::uint8_t {
  apart,     ///< each text is embedded alone
  pairs,     ///< query and document with the tokenizer's separators
  joined,    ///< the document follows the query
  rendered,  ///< by a template that the engine was given
  unknown,
};

/// Immutable, shared by all workers.
struct PromptModel {
  Renderer renderer = Renderer::jinja;
  std::string unsupported;  ///< why, for people, if the renderer is unsupported
  ChatTemplates templates;
  Scoring scoring = Scoring::unknown;
  bool lower_cases = false;              ///< the engine lower-cases texts before they are tokenised
  std::string start_date;                ///< Harmony's date (VLLM_SYSTEM_START_DATE); empty: today
  bool merges_inline_system = false;     ///< Anthropic's system messages inside a conversation go to its front
  std::string disabled_thinking_effort;  ///< reasoning_effort for Anthropic's thinking.type "disabled"
};

}  // namespace kvgate::text
