// Message content as the template gets it: one text, or a list of parts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/chat/message.hpp"
#include "text/jinja/template.hpp"

namespace kvgate::text {

/// Where the images, audio and videos of a request are.
struct Media {
  std::vector<std::uint64_t> hashes;  ///< of each item's source, in order

  /// Text to put where the first item is, to find that place in the rendered prompt; empty: leave the item as it is.
  std::string_view marker;
};

/// The content of one message. In the format `string`, parts are joined with "\n", and media of unknown placeholders
/// would stand before them: a message with media becomes media.marker when there is one. In the format `openai`, parts
/// become {"type": "text", "text": ...} and media {"type": "image"}. Stops: refused; prompt_embeds.
Outcome<Value> message_content(Message const& message, jinja::ContentFormat format, Media& media, jinja::Arena& arena);

/// Whether a part of `messages` (raw, as in the request) is neither text nor a reference to a tool.
bool has_media(Value const& messages);

}  // namespace kvgate::text
