// `kvgate tokenize --chat` and `--api`: whole request bodies.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "text/chat/prompt_tokens.hpp"
#include "text/tokenize/line_encoder.hpp"

namespace kvgate::text {

/// The API of a name such as "chat" or "embeddings"; nullopt: none that has prompts.
std::optional<openai::ApiKind> api_named(std::string_view name);

/// A clock that stands at "2025-03-09T14:05:07"; nullopt: not a time.
std::optional<jinja::WallClock> clock_at(std::string_view time);

/// A body becomes `{"rendered":...,"ids":[...]}`, with several prompts `{"prompts":[...]}` of these. Before media,
/// `"prefix_only":true` is added; what cannot be told is `{"unknown":...,"detail":...}`.
std::unique_ptr<LineEncoder> make_request_encoder(std::shared_ptr<ModelAssets const> model, openai::ApiKind api,
                                                  PromptOptions options);

/// A chat-completions body becomes `{"input":{...}}`: what the template would be rendered with.
std::unique_ptr<LineEncoder> make_input_encoder(std::shared_ptr<ModelAssets const> model, PromptOptions options);

}  // namespace kvgate::text
