// Input items of /v1/responses.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "text/chat/chat_request.hpp"

namespace kvgate::text {

/// One item, of the kinds that are read here. Values refer to the request.
struct ResponseItem {
  enum class Kind { message, call, call_output, reasoning };

  Kind kind = Kind::message;
  std::string_view role;  ///< of a message
  Value content;          ///< of a message: text or parts; of an output: the same; of reasoning: its list, or None
  bool typed = false;     ///< the message says that it is one
  bool custom = false;    ///< a call of a custom tool, or its output
  std::string_view call_id;
  std::string_view name;        ///< of the tool that is called
  std::string_view name_space;  ///< empty: none
  std::string_view arguments;   ///< of a custom call: its input
  std::string_view summary;     ///< of reasoning: the first summary
  bool unfinished = false;      ///< status in_progress or incomplete
};

/// Items as vLLM's request model takes them. Stops: refused; input_item for what only the engine can read.
Outcome<std::vector<ResponseItem>> read_response_items(Value const& input);

/// The tools of a request: function tools as dump_tools() writes them, tools of a namespace by their full name, custom
/// tools as functions of one text. `others` is set if there are tools that only the engine knows how to offer.
/// Undefined: the request has none. Stops: refused.
Outcome<Value> read_response_tools(Value const& tools, bool& others, jinja::Arena& arena);

/// A chat of these items: calls and reasoning belong to the assistant message before them.
std::vector<Message> chat_of_items(std::span<ResponseItem const> items, jinja::Arena& arena);

}  // namespace kvgate::text
