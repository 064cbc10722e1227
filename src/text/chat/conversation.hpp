// The messages of a request as the template gets them.
#pragma once

#include <span>
#include <string_view>

#include "text/chat/content.hpp"

namespace kvgate::text {

/// `messages` in the order and with the keys in which vLLM passes them on: content by `format`, arguments of tool calls
/// as objects, reasoning under both its names. Stops: refused, prompt_embeds.
Outcome<Value> conversation(std::span<Message const> messages, jinja::ContentFormat format, Media& media,
                            jinja::Arena& arena);

/// For a template that knows no developer role: developer messages become system messages, and all system messages one
/// at the front. `source` is the template's text. Other conversations come back as they are.
Value for_developer_role(Value const& conversation, std::string_view source, jinja::Arena& arena);

}  // namespace kvgate::text
