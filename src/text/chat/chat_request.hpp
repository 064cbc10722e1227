// A chat-completions request, as far as it decides the prompt.
#pragma once

#include <string_view>
#include <vector>

#include "text/chat/message.hpp"
#include "text/chat/request_fields.hpp"

namespace kvgate::text {

/// Refers to the body and its arena.
struct ChatRequest {
  std::vector<Message> messages;
  Value tools;                 ///< as dump_tools() writes them; undefined: none
  Value chat_template_kwargs;  ///< a dict, or undefined
  Value documents;             ///< a list of dicts of texts, or undefined
  Value reasoning_effort;      ///< a text, or undefined
  Value forwarded_ids;         ///< the prompt itself, which the engine takes unseen; undefined: none
  bool tools_off = false;      ///< tool_choice is "none"
  bool add_generation_prompt = true;
  bool continue_final_message = false;
  bool add_special_tokens = false;
  Truncation truncation;
};

/// What vLLM's ChatCompletionRequest would hold. Only what decides the prompt is looked at: a request may still be
/// refused for other fields. Stops: refused, request_template, input_item.
Outcome<ChatRequest> read_chat_request(Value const& body, jinja::Arena& arena);

/// Reads the fields that chat and embedding requests share, except messages, into `out`. Stops: refused,
/// request_template.
Outcome<void> read_chat_options(Value const& body, bool generates, ChatRequest& out);

/// A list of messages. Stops: refused, input_item.
Outcome<std::vector<Message>> read_messages(Value const& messages, jinja::Arena& arena);

/// Whether `effort` is one that chat requests may ask for; undefined and None are.
bool valid_effort(Value const& effort);

}  // namespace kvgate::text
