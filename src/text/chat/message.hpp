// One message of a chat request, as vLLM's request model leaves it.
#pragma once

#include <string_view>

#include "text/chat/stop.hpp"
#include "text/chat/typed_dict.hpp"

namespace kvgate::text {

/// Fields that a message does not have are undefined values. Refers to the request and its arena.
struct Message {
  std::string_view role;
  Value content;     ///< text, None, or a list of parts (texts and dicts)
  Value tool_calls;  ///< a list, or None; of the assistant: dicts in the order {id, function {arguments, name}, type}
  Value reasoning;   ///< `reasoning`, else `reasoning_content`
  Value tool_call_id;
  Value name;
  Value task;
  Value tools;  ///< of a developer message

  /// The model that applies looks into a list of content only when it is read, and once. Harmony's flattening takes
  /// such a list for no text at all.
  bool lazy_content = false;
  bool broken_content = false;  ///< and would then find a part of the wrong form
};

/// vLLM accepts two models of a message: OpenAI's for its role, and a freer one for any role. The one that recognises
/// more fields applies (OpenAI's in doubt), which decides what else must be valid. Stops: refused.
Outcome<Message> read_message(Value const& message, jinja::Arena& arena);

}  // namespace kvgate::text
