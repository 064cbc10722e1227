// A chat request as vLLM turns it into Harmony messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/chat/chat_request.hpp"
#include "text/chat/harmony/message.hpp"

namespace kvgate::text::harmony {

/// What decides the first two messages.
struct Preamble {
  std::optional<std::string_view> instructions;  ///< of the leading system or developer message
  Value tools;                                   ///< dumped function tools ({type, function}), or undefined
  Value reasoning_effort;                        ///< a text, or undefined: medium
  std::string start_date;                        ///< YYYY-MM-DD
};

/// System message and, with instructions or tools, a developer message. Texts are put into `arena`. Stops: refused,
/// size.
Outcome<std::vector<Message>> preamble(Preamble const& from, jinja::Arena& arena);

/// A developer message with instructions, and a section of tools unless that is empty.
Message developer_message(std::optional<std::string_view> instructions, std::string_view tools, jinja::Arena& arena);

/// All messages of a chat request. Media are left out of the text, as the engine does. Stops: refused.
Outcome<std::vector<Message>> chat_messages(ChatRequest const& request, bool show_tools, std::string start_date,
                                            jinja::Arena& arena);

/// The text parts of message content in one; undefined if there is no text. `content` may be undefined. Stops: refused.
Outcome<Value> flat_text(Value const& content, jinja::Arena& arena);

/// Drops the reasoning that precedes the last final answer: the model has never seen it with such answers.
void drop_old_analysis(std::vector<Message>& messages);

}  // namespace kvgate::text::harmony
