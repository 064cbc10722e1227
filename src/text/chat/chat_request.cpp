#include "text/chat/chat_request.hpp"

#include <algorithm>
#include <array>

#include "text/chat/content.hpp"
#include "text/chat/tool_shapes.hpp"

namespace kvgate::text {
namespace {

constexpr std::array<std::string_view, 7> kEfforts{"none", "minimal", "low", "medium", "high", "xhigh", "max"};

bool names_a_tool(Value const& choice, Value const& tools) {
  Value const name = choice.get("function").get("name");
  if (!name.is_string() || name.text().empty()) return false;
  return std::ranges::any_of(tools.items(),
                             [&](Value const& tool) { return is_text(tool.get("function").get("name"), name.text()); });
}

/// `tool_choice` must fit the tools; "none" leaves them as they are. `tools` is dumped, or undefined.
Outcome<void> check_tool_choice(Value const& choice, Value const& tools) {
  if (is_null(choice) || is_text(choice, "none")) return {};
  if (is_null(tools)) return refused("When using `tool_choice`, `tools` must be set.");
  if (is_text(choice, "auto") || is_text(choice, "required")) return {};
  if (!choice.is_dict()) return refused("Invalid value for `tool_choice`!");
  if (names_a_tool(choice, tools)) return {};
  return refused("The tool specified in `tool_choice` does not match any of the specified `tools`");
}

Outcome<void> read_tools(Value const& body, ChatRequest& out, jinja::Arena& arena) {
  Value const tools = body.get("tools");
  Value const choice = body.get("tool_choice");
  if (tools.is_sequence() && tools.items().empty()) return refused("`tools` must not be an empty array.");
  if (!is_null(tools)) {
    auto const dumped = dump_tools(tools, arena);
    if (!dumped) return dumped.error();
    out.tools = *dumped;
  }
  out.tools_off = is_text(choice, "none");
  return check_tool_choice(choice, out.tools);
}

bool all_texts(Value const& document) {
  return document.is_dict() &&
         std::ranges::all_of(document.dict().entries(), [](auto const& entry) { return entry.value.is_string(); });
}

Outcome<Value> read_documents(Value const& body) {
  Value const documents = body.get("documents");
  if (is_null(documents)) return Value();
  if (!documents.is_sequence() || !std::ranges::all_of(documents.items(), all_texts)) {
    return refused("documents must be a list of objects with texts");
  }
  return documents;
}

Outcome<void> read_flag(Value const& body, std::string_view key, bool& flag) {
  auto const read = read_bool(body, key, flag);
  if (!read) return read.error();
  flag = *read;
  return {};
}

Outcome<void> read_flags(Value const& body, ChatRequest& out) {
  for (auto const& [key, flag] : {std::pair{"add_generation_prompt", &out.add_generation_prompt},
                                  std::pair{"continue_final_message", &out.continue_final_message},
                                  std::pair{"add_special_tokens", &out.add_special_tokens}}) {
    auto const read = read_flag(body, key, *flag);
    if (!read) return read;
  }
  if (truthy(body.get("continue_final_message")) && truthy(body.get("add_generation_prompt"))) {
    return refused("Cannot set both `continue_final_message` and `add_generation_prompt` to True.");
  }
  return {};
}

// Engines refuse these unless they are told to trust requests.
bool brings_template(Value const& body, Value const& kwargs) {
  return !is_null(body.get("chat_template")) || !is_null(kwargs.get("chat_template"));
}

Outcome<void> read_kwargs(Value const& body, ChatRequest& out) {
  auto const kwargs = read_dict(body, "chat_template_kwargs");
  if (!kwargs) return kwargs.error();
  out.chat_template_kwargs = *kwargs;
  if (brings_template(body, *kwargs)) return cannot_tell(Unknown::request_template);
  return {};
}

}  // namespace

bool valid_effort(Value const& effort) {
  if (is_null(effort)) return true;
  return effort.is_string() && std::ranges::find(kEfforts, effort.text()) != kEfforts.end();
}

Outcome<std::vector<Message>> read_messages(Value const& messages, jinja::Arena& arena) {
  if (!messages.is_sequence()) return refused("messages must be a list");
  std::vector<Message> out;
  out.reserve(messages.items().size());
  for (Value const& raw : messages.items()) {
    auto message = read_message(raw, arena);
    if (!message) return message.error();
    out.push_back(*message);
  }
  return out;
}

Outcome<void> read_chat_options(Value const& body, bool generates, ChatRequest& out) {
  out.add_generation_prompt = generates;
  auto read = read_flags(body, out);
  if (read) read = read_kwargs(body, out);
  if (!read) return read;
  auto const truncation = read_truncation(body);
  if (!truncation) return truncation.error();
  out.truncation = *truncation;
  return {};
}

Outcome<ChatRequest> read_chat_request(Value const& body, jinja::Arena& arena) {
  ChatRequest out;
  auto read = read_chat_options(body, true, out);
  if (read) read = read_tools(body, out, arena);
  if (!read) return read.error();
  auto const documents = read_documents(body);
  if (!documents) return documents.error();
  out.documents = *documents;
  out.reasoning_effort = body.get("reasoning_effort");
  if (!valid_effort(out.reasoning_effort)) return refused("reasoning_effort has a value that does not exist");
  auto messages = read_messages(body.get("messages"), arena);
  if (!messages) return messages.error();
  out.messages = std::move(*messages);
  bool const reused = !truthy(body.get("echo")) && !has_media(body.get("messages"));
  if (reused) out.forwarded_ids = forwarded_ids(body);
  return out;
}

}  // namespace kvgate::text
