// continue_final_message: the prompt ends inside the last message, which the model goes on with. A tag is put behind
// the message's text, and the rendered prompt is cut where the tag is.
#pragma once

#include <string>
#include <string_view>

#include "text/chat/stop.hpp"
#include "text/chat/typed_dict.hpp"

namespace kvgate::text {

/// A conversation with the tag, and the text that it was put behind.
struct Tagged {
  Value messages;
  std::string_view final_text;
};

/// `source` is the template's text. Stops: refused, when there is no text to go on with.
Outcome<Tagged> with_tag(Value const& messages, std::string_view source, jinja::Arena& arena);

/// Cuts at the tag, and white space before it if the template trimmed the message. Stops: refused, when the template
/// did not write the message.
Outcome<void> cut_at_tag(std::string& rendered, std::string_view final_text);

}  // namespace kvgate::text
