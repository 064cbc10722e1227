// All that is needed to tell the token ids of one model's prompts, loaded from its folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "kvgate/error.hpp"
#include "text/chat/cut_tokens.hpp"
#include "text/chat/harmony/render.hpp"
#include "text/chat/pair_format.hpp"
#include "text/chat/prompt_model.hpp"
#include "text/tokenizer/cached_encoder.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace kvgate::text {

/// How the engine was started, as far as it changes prompts. The defaults are vLLM's.
struct EngineOptions {
  std::string chat_template;                           ///< --chat-template: its text; empty: the model's own
  std::optional<jinja::ContentFormat> content_format;  ///< --chat-template-content-format; nullopt: auto
  std::string default_chat_template_kwargs;            ///< --default-chat-template-kwargs: a JSON object
  bool exclude_tools_when_tool_choice_none = false;
  std::string anthropic_disabled_thinking_effort = "auto";
  std::string system_start_date;              ///< VLLM_SYSTEM_START_DATE, for gpt-oss; empty: today
  std::optional<std::int64_t> max_model_len;  ///< needed where prompts are shortened to what fits
};

/// One model. Immutable, shared by all workers and by models that use the same folder with the same options.
struct ModelAssets {
  std::shared_ptr<Tokenizer const> tokenizer;
  std::optional<CachedEncoder> encoder;  ///< of that tokenizer
  CutTokens cuts;  ///< of the tokenizer
  PromptModel prompts;
  std::optional<harmony::Encoding> harmony;  ///< there, if prompts.renderer says so
  std::optional<PairFormat> pairs;           ///< there, if prompts.scoring says so
  std::optional<std::int64_t> max_model_len;

  /// From a folder as on Hugging Face: tokenizer.json and, as far as they are there, tokenizer_config.json,
  /// special_tokens_map.json, config.json and chat templates. Errors (bad_request) name the file and what is wrong:
  /// the model is to be served without token ids then. A folder without a template, or of a model that the engine
  /// renders with code of its own, is no error: chats of it are unknown, other requests are not.
  static Result<std::shared_ptr<ModelAssets const>> load(std::filesystem::path const& folder,
                                                         EngineOptions const& options);
};

}  // namespace kvgate::text
