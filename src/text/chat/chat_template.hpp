// The chat templates of a model, with what they see besides the request.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/chat/stop.hpp"
#include "text/jinja/template.hpp"

namespace kvgate::text {

/// One compiled template. Immutable.
struct ChatTemplate {
  jinja::Template compiled;
  std::string source;
  jinja::ContentFormat format = jinja::ContentFormat::string;
};

/// What one model's prompts are rendered with. Immutable, shared by all workers.
struct ChatTemplates {
  std::optional<ChatTemplate> plain;       ///< for requests without tools; nullopt: the model has none
  std::optional<ChatTemplate> with_tools;  ///< for requests with tools, when that is another one
  std::vector<std::pair<std::string, std::string>> special_tokens;  ///< bos_token, ...: name and text
  std::string default_kwargs;      ///< --default-chat-template-kwargs: a JSON object, or empty
  bool hide_unused_tools = false;  ///< --exclude-tools-when-tool-choice-none

  /// The template for a request; nullptr: there is none.
  ChatTemplate const* choose(bool tools) const noexcept {
    if (tools && with_tools) return &*with_tools;
    return plain ? &*plain : nullptr;
  }
};

/// Compiles a template. `format`: as the engine was told; nullopt: as it would detect. The error is a text for the log.
boost::system::result<ChatTemplate, jinja::TemplateError> make_chat_template(
    std::string source, std::optional<jinja::ContentFormat> format);

}  // namespace kvgate::text
