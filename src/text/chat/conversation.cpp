#include "text/chat/conversation.hpp"

#include <algorithm>
#include <string>

#include "text/jinja/json_reader.hpp"

namespace kvgate::text {
namespace {

using jinja::Arena;
using jinja::Dict;

Value empty_dict(Arena& arena) {
  return Value::dict(Dict::create(arena));
}

/// The arguments of a call, a JSON text in the request; whatever is not an object becomes an empty one.
Value parsed_arguments(Value const& arguments, Arena& arena) {
  if (arguments.is_dict()) return truthy(arguments) ? arguments : empty_dict(arena);
  if (!arguments.is_string() || arguments.text().empty()) return empty_dict(arena);
  auto const parsed = jinja::parse_json(arguments.text(), arena);
  return parsed && parsed->is_dict() ? *parsed : empty_dict(arena);
}

Outcome<Value> call_with_object(Value const& call, Arena& arena) {
  if (!call.is_dict()) return refused("assistant tool_calls entries must be objects.");
  Value const type = call.get("type");
  Value const function = call.get("function");
  if ((!type.is_undefined() && !is_text(type, "function")) || !function.is_dict()) {
    return refused("chat completions only support assistant tool_calls of type 'function'.");
  }
  Dict* inner = in_order({}, function, arena);
  inner->set(arena, "arguments", parsed_arguments(function.get("arguments"), arena));
  Dict* out = in_order({}, call, arena);
  out->set(arena, "function", Value::dict(inner));
  return Value::dict(out);
}

Outcome<Value> calls_with_objects(Value const& calls, Arena& arena) {
  Value* out = arena.allocate_array<Value>(calls.items().size());
  Value* next = out;
  for (Value const& call : calls.items()) {
    auto const changed = call_with_object(call, arena);
    if (!changed) return changed;
    *next++ = *changed;
  }
  return Value::list({out, calls.items().size()});
}

bool is_text_part(Value const& part) {
  return part.is_dict() && is_text(part.get("type"), "text");
}

/// What a tool answered is one text, even for templates that take parts, unless it refers to tools.
Outcome<Value> tool_content(Value const& content, Arena& arena) {
  if (!content.is_sequence() || !std::ranges::all_of(content.items(), is_text_part)) return content;
  std::string text;
  for (Value const& part : content.items()) {
    Value const piece = part.get("text");
    if (!piece.is_string()) return refused("tool messages must hold text");
    text.append(&part == content.items().data() ? "" : "\n").append(piece.text());
  }
  return Value::string(arena.copy(text));
}

Outcome<void> add_assistant_fields(Message const& message, Dict* out, Arena& arena) {
  if (message.tool_calls.is_sequence() && !message.tool_calls.items().empty()) {
    auto const calls = calls_with_objects(message.tool_calls, arena);
    if (!calls) return calls.error();
    out->set(arena, "tool_calls", *calls);
  }
  if (!is_null(message.reasoning)) {
    out->set(arena, "reasoning", message.reasoning);
    out->set(arena, "reasoning_content", message.reasoning);
  }
  return {};
}

Outcome<Value> for_template(Message const& message, jinja::ContentFormat format, Media& media, Arena& arena) {
  auto content = message_content(message, format, media, arena);
  if (content && message.role == "tool") content = tool_content(*content, arena);
  if (!content) return content;
  Dict* out = Dict::create(arena, 6);
  out->set(arena, "role", Value::string(message.role));
  out->set(arena, "content", *content);
  if (message.role == "assistant") {
    auto const added = add_assistant_fields(message, out, arena);
    if (!added) return added.error();
  }
  if (message.role == "tool" && !message.tool_call_id.is_undefined()) {
    out->set(arena, "tool_call_id", message.tool_call_id);
  }
  if (message.name.is_string()) out->set(arena, "name", message.name);
  if (message.task.is_string()) out->set(arena, "task", message.task);
  if (message.role == "developer") {
    out->set(arena, "tools", message.tools.is_undefined() ? Value::none() : message.tools);
  }
  return Value::dict(out);
}

Value as_system(Value const& message, Arena& arena) {
  Dict* out = Dict::create(arena, message.dict().size());
  for (auto const& entry : message.dict().entries()) {
    if (!is_text(entry.key, "tools")) out->set(arena, entry.key, entry.value);
  }
  out->set(arena, "role", Value::string("system"));
  return Value::dict(out);
}

void append_text(std::string& out, Value const& content) {
  if (content.is_string()) {
    out.append(content.text());
    return;
  }
  bool first = true;
  for (Value const& part : content.items()) {
    Value const text = part.is_string() ? part : part.get("text");
    if (!text.is_string()) continue;
    out.append(first ? "" : "\n").append(text.text());
    first = false;
  }
}

Value merged_system(std::span<Value const> messages, Arena& arena) {
  std::string text;
  for (Value const& message : messages) {
    if (!is_text(message.get("role"), "system")) continue;
    std::string one;
    append_text(one, message.get("content"));
    if (!one.empty()) text.append(text.empty() ? "" : "\n\n").append(one);
  }
  Dict* out = Dict::create(arena, 2);
  out->set(arena, "role", Value::string("system"));
  out->set(arena, "content", Value::string(arena.copy(text)));
  return Value::dict(out);
}

bool has_role(Value const& message, std::string_view role) {
  return is_text(message.get("role"), role);
}

Value consolidated(std::vector<Value> messages, Arena& arena) {
  auto const is_system = [](Value const& message) { return has_role(message, "system"); };
  bool const only_first = std::none_of(messages.begin() + 1, messages.end(), is_system);
  if (!only_first) {
    Value const merged = merged_system(messages, arena);
    std::erase_if(messages, is_system);
    messages.insert(messages.begin(), merged);
  }
  Value* out = arena.allocate_array<Value>(messages.size());
  std::ranges::copy(messages, out);
  return Value::list({out, messages.size()});
}

}  // namespace

Outcome<Value> conversation(std::span<Message const> messages, jinja::ContentFormat format, Media& media,
                            jinja::Arena& arena) {
  Value* out = arena.allocate_array<Value>(messages.size());
  Value* next = out;
  for (Message const& message : messages) {
    auto const made = for_template(message, format, media, arena);
    if (!made) return made;
    *next++ = *made;
  }
  return Value::list({out, messages.size()});
}

Value for_developer_role(Value const& conversation, std::string_view source, jinja::Arena& arena) {
  auto const is_developer = [](Value const& message) { return has_role(message, "developer"); };
  if (std::ranges::none_of(conversation.items(), is_developer)) return conversation;
  bool const supported = source.find("\"developer\"") != source.npos || source.find("'developer'") != source.npos;
  if (supported) return conversation;
  std::vector<Value> messages;
  for (Value const& message : conversation.items()) {
    messages.push_back(is_developer(message) ? as_system(message, arena) : message);
  }
  return consolidated(std::move(messages), arena);
}

}  // namespace kvgate::text
