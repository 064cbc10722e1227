// Which chat templates a model's folder has.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "kvgate/error.hpp"
#include "text/chat/typed_dict.hpp"

namespace kvgate::text {

struct TemplateSources {
  std::optional<std::string> plain;       ///< for requests without tools
  std::optional<std::string> with_tools;  ///< for requests with tools; nullopt: the same
};

/// chat_template.jinja and additional_chat_templates/*.jinja, else the text or the named texts in
/// tokenizer_config.json, else chat_template.json beside a processor. `given` is the engine's --chat-template: a text,
/// or the name of one of the named templates; empty: none. Errors (bad_request): a file that cannot be read.
Result<TemplateSources> find_templates(std::filesystem::path const& folder, Value const& tokenizer_config,
                                       std::string const& given);

/// The content of a file; nullopt: there is none. Errors (bad_request): it cannot be read.
Result<std::optional<std::string>> read_optional(std::filesystem::path const& file);

}  // namespace kvgate::text
