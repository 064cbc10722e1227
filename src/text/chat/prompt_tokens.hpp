// From a request body to the token ids that the engine will see.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kvgate/error.hpp"
#include "openai/api.hpp"
#include "text/chat/model_assets.hpp"
#include "text/chat/stop.hpp"
#include "text/jinja/template.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace kvgate::text {

/// The prompts of one request; a list of texts makes several.
struct PromptTokens {
  std::vector<std::vector<std::uint32_t>> prompts;
  bool prefix_only = false;  ///< `prompts` has the beginning of one prompt, up to the first image, audio or video
  std::vector<std::uint64_t> media;  ///< a hash of the source of each of these
  std::vector<std::string> texts;    ///< what was tokenised, if PromptOptions::texts asks for it
  std::optional<Unknown> unknown;    ///< set: there are no prompts, and this is why
  std::string detail;                ///< more about `unknown`, for people
};

struct PromptOptions {
  jinja::RenderOptions render;         ///< bounds, and the clock that templates and Harmony's date see
  std::size_t arena_bytes = 64 << 20;  ///< what may be taken while one request is read
  bool texts = false;                  ///< keep the texts, for people
  SegmentCache* cache = nullptr;       ///< of texts seen before; null: none
};

/// Ids of the prompts of `body`. An error (bad_request) is the engine's refusal, with what a template says through
/// raise_exception as its message; a request that gets ids here may still be refused for what does not concern the
/// prompt. Never throws on what clients send. `scratch` belongs to the calling thread.
Result<PromptTokens> prompt_tokens(ModelAssets const& model, openai::ApiKind api, std::string_view body,
                                   PromptOptions const& options, TokenizerScratch& scratch);

/// What the chat template would be rendered with for a chat-completions body, as JSON: for people who look for a
/// difference. Errors (bad_request) also for what is unknown, with the reason's name.
Result<std::string> chat_input(ModelAssets const& model, std::string_view body, PromptOptions const& options);

}  // namespace kvgate::text
