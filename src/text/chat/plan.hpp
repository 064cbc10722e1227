// What the engine will tokenise for a request, by API.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "text/chat/chat_request.hpp"
#include "text/chat/harmony/message.hpp"
#include "text/chat/prompt_model.hpp"

namespace kvgate::text {

struct TextPrompt {
  std::string text;
  bool add_special_tokens = true;
};
struct PairPrompt {
  std::string query;
  std::string document;
};
using IdsPrompt = std::vector<std::uint32_t>;
using HarmonyPrompt = std::vector<harmony::Message>;  ///< refers to the request and its arena
using Prompt = std::variant<TextPrompt, IdsPrompt, PairPrompt, HarmonyPrompt>;

struct Plan {
  std::vector<Prompt> prompts;
  Truncation truncation;
  bool pooling = false;              ///< prompts that are too long lose their end, not their beginning
  std::vector<std::uint64_t> media;  ///< with any, prompts end where the first one begins
};

/// What planning needs besides the request.
struct PlanContext {
  PromptModel const& model;
  jinja::RenderOptions const& options;
  jinja::Arena& arena;
};

// Each takes the parsed body and throws jinja::ArenaFull when it is too much.

/// /v1/completions.
Outcome<Plan> plan_completion(Value const& body, PlanContext const& context);

/// /v1/chat/completions.
Outcome<Plan> plan_chat(Value const& body, PlanContext const& context);

/// /v1/chat/completions/batch.
Outcome<Plan> plan_batch_chat(Value const& body, PlanContext const& context);

/// /v1/embeddings and /pooling.
Outcome<Plan> plan_embedding(Value const& body, PlanContext const& context);

/// /v1/score and /v1/rerank.
Outcome<Plan> plan_scoring(Value const& body, PlanContext const& context);

/// /v1/responses.
Outcome<Plan> plan_response(Value const& body, PlanContext const& context);

/// /v1/messages (Anthropic).
Outcome<Plan> plan_messages(Value const& body, PlanContext const& context);

// Shared by them.

/// A text, a list of texts, token ids, or a list of lists of them. Stops: refused.
Outcome<std::vector<Prompt>> read_prompts(Value const& prompt, bool add_special_tokens);

/// A chat request that was read, by whichever API.
Outcome<Plan> plan_chat_request(ChatRequest const& request, PlanContext const& context);

/// The date that Harmony's system message names.
std::string harmony_date(PlanContext const& context);

}  // namespace kvgate::text
