#include "text/chat/response_items.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "text/chat/tool_shapes.hpp"

namespace kvgate::text {
namespace {

constexpr std::array<std::string_view, 4> kRoles{"user", "assistant", "system", "developer"};

std::string_view text_of(Value const& value) {
  return value.is_string() ? value.text() : std::string_view();
}

Stop cannot_read(std::string_view what) {
  return cannot_tell(Unknown::input_item, std::string(what));
}

/// Parts that a message may have; what else there is, the engine's models must judge.
bool is_input_part(Value const& part) {
  Value const type = part.get("type");
  if (is_text(type, "input_text")) return part.get("text").is_string();
  return is_text(type, "input_image") || is_text(type, "input_file");
}

bool is_output_part(Value const& part) {
  return is_text(part.get("type"), "output_text") && part.get("text").is_string();
}

Outcome<ResponseItem> read_message_item(Value const& item, ResponseItem out) {
  out.role = text_of(item.get("role"));
  out.content = item.get("content");
  if (std::ranges::find(kRoles, out.role) == kRoles.end()) return cannot_read("a role");
  if (out.content.is_string()) return out;
  if (!out.content.is_sequence()) return cannot_read("content");
  auto const parts = out.content.items();
  bool const output = out.typed && out.role == "assistant";
  if (std::ranges::all_of(parts, is_input_part)) return out;
  if (output && std::ranges::all_of(parts, is_output_part)) return out;
  return cannot_read("a content part");
}

Outcome<ResponseItem> read_call(Value const& item, ResponseItem out) {
  Value const arguments = item.get(out.custom ? "input" : "arguments");
  Value const name_space = item.get("namespace");
  bool const valid = item.get("call_id").is_string() && item.get("name").is_string() && arguments.is_string();
  if (!valid || !(is_null(name_space) || name_space.is_string())) return cannot_read("a call");
  out.call_id = item.get("call_id").text();
  out.name = item.get("name").text();
  out.arguments = arguments.text();
  out.name_space = text_of(name_space);
  return out;
}

Outcome<ResponseItem> read_output(Value const& item, ResponseItem out) {
  out.content = item.get("output");
  bool const parts = out.content.is_sequence() && std::ranges::all_of(out.content.items(), is_input_part);
  if (!item.get("call_id").is_string() || !(out.content.is_string() || parts)) return cannot_read("an output");
  out.call_id = item.get("call_id").text();
  return out;
}

bool all_texts(Value const& list) {
  return list.is_sequence() &&
         std::ranges::all_of(list.items(), [](Value const& item) { return item.get("text").is_string(); });
}

Outcome<ResponseItem> read_reasoning(Value const& item, ResponseItem out) {
  Value const summary = item.get("summary");
  out.content = item.get("content");
  if (truthy(item.get("encrypted_content"))) return refused("Encrypted content is not supported.");
  if (!all_texts(summary) || !(is_null(out.content) || all_texts(out.content))) return cannot_read("reasoning");
  if (!summary.items().empty()) out.summary = summary.items()[0].get("text").text();
  return out;
}

Outcome<ResponseItem> read_item(Value const& item) {
  using Kind = ResponseItem::Kind;
  if (!item.is_dict()) return cannot_read("an item");
  Value const type = item.get("type");
  Value const status = item.get("status");
  ResponseItem out;
  out.unfinished = is_text(status, "in_progress") || is_text(status, "incomplete");
  out.typed = !type.is_undefined();
  if (!out.typed || is_text(type, "message")) return read_message_item(item, out);
  constexpr std::array<std::pair<std::string_view, Kind>, 5> kinds{{{"function_call", Kind::call},
                                                                    {"custom_tool_call", Kind::call},
                                                                    {"function_call_output", Kind::call_output},
                                                                    {"custom_tool_call_output", Kind::call_output},
                                                                    {"reasoning", Kind::reasoning}}};
  auto const* kind = std::ranges::find_if(kinds, [&](auto const& known) { return is_text(type, known.first); });
  if (kind == kinds.end()) return cannot_read("an item's type");
  out.kind = kind->second;
  out.custom = kind->first.starts_with("custom");
  if (out.kind == Kind::reasoning) return read_reasoning(item, out);
  return out.kind == Kind::call_output ? read_output(item, out) : read_call(item, out);
}

Value call_dict(ResponseItem const& item, jinja::Arena& arena) {
  std::string const prefix = item.name_space.empty() ? "" : std::string(item.name_space) + "__";
  jinja::Dict* arguments = nullptr;
  if (item.custom) {
    arguments = jinja::Dict::create(arena, 1);
    arguments->set(arena, "input", Value::string(item.arguments));
  }
  jinja::Dict* function = jinja::Dict::create(arena, 2);
  function->set(arena, "name", Value::string(arena.copy(prefix + std::string(item.name))));
  function->set(arena, "arguments", arguments ? Value::dict(arguments) : Value::string(item.arguments));
  jinja::Dict* out = jinja::Dict::create(arena, 3);
  out->set(arena, "id", Value::string(item.call_id));
  out->set(arena, "function", Value::dict(function));
  out->set(arena, "type", Value::string("function"));
  return Value::dict(out);
}

/// Builds the chat, message by message.
class Chat {
 public:
  explicit Chat(jinja::Arena& arena) : arena_(arena) {}

  void add(ResponseItem const& item) {
    using Kind = ResponseItem::Kind;
    switch (item.kind) {
      case Kind::call:
        return add_call(item);
      case Kind::reasoning:
        return add_reasoning(item);
      case Kind::call_output:
        return add_output(item);
      case Kind::message:
        return add_message(item);
    }
  }

  std::vector<Message> take() { return std::move(messages_); }

 private:
  Message* last_assistant() {
    return !messages_.empty() && messages_.back().role == "assistant" ? &messages_.back() : nullptr;
  }

  Message& new_message(std::string_view role) {
    messages_.emplace_back().role = role;
    return messages_.back();
  }

  void add_call(ResponseItem const& item) {
    Message* last = last_assistant();
    Message& message = last ? *last : new_message("assistant");
    std::size_t const before = message.tool_calls.is_sequence() ? message.tool_calls.items().size() : 0;
    Value* calls = arena_.allocate_array<Value>(before + 1);
    if (before > 0) std::ranges::copy(message.tool_calls.items(), calls);
    calls[before] = call_dict(item, arena_);
    message.tool_calls = Value::list({calls, before + 1});
  }

  void add_reasoning(ResponseItem const& item) {
    bool const has_content = item.content.is_sequence() && !item.content.items().empty();
    Value const text = has_content ? item.content.items()[0].get("text") : Value::string(item.summary);
    Message* last = last_assistant();
    bool const joins = last != nullptr && is_null(last->reasoning);
    (joins ? *last : new_message("assistant")).reasoning = text;
  }

  void add_output(ResponseItem const& item) {
    Message& message = new_message("tool");
    message.content = item.content;
    message.tool_call_id = Value::string(item.call_id);
  }

  void add_message(ResponseItem const& item) {
    Value text = item.content;
    if (item.role == "assistant" && text.is_sequence() && !text.items().empty()) text = text.items()[0].get("text");
    if (item.role != "assistant" || !text.is_string()) {
      new_message(item.role).content = item.content;
      return;
    }
    Message* last = last_assistant();
    bool const joins = last != nullptr && is_null(last->content);
    (joins ? *last : new_message("assistant")).content = text;
  }

  jinja::Arena& arena_;
  std::vector<Message> messages_;
};

Value custom_parameters(jinja::Arena& arena) {
  jinja::Dict* input = jinja::Dict::create(arena, 2);
  input->set(arena, "type", Value::string("string"));
  input->set(arena, "description", Value::string("The freeform text payload for this tool."));
  jinja::Dict* properties = jinja::Dict::create(arena, 1);
  properties->set(arena, "input", Value::dict(input));
  Value* required = arena.allocate_array<Value>(1);
  required[0] = Value::string("input");
  jinja::Dict* out = jinja::Dict::create(arena, 4);
  out->set(arena, "type", Value::string("object"));
  out->set(arena, "properties", Value::dict(properties));
  out->set(arena, "required", Value::list({required, 1}));
  out->set(arena, "additionalProperties", Value::boolean(false));
  return Value::dict(out);
}

Outcome<Value> function_tool(Value const& tool, std::string_view prefix, jinja::Arena& arena) {
  jinja::Dict* function = in_order({}, tool, arena);
  bool const custom = is_text(tool.get("type"), "custom");
  if (custom) {
    function->set(arena, "parameters", custom_parameters(arena));
    function->set(arena, "defer_loading", Value::none());
    function->set(arena, "strict", Value::none());
  }
  if (!prefix.empty() && tool.get("name").is_string()) {
    std::string const name = std::string(prefix) + "__" + std::string(tool.get("name").text());
    function->set(arena, "name", Value::string(arena.copy(name)));
  }
  auto const dumped = dump_function(Value::dict(function), arena);
  if (!dumped) return dumped;
  jinja::Dict* out = jinja::Dict::create(arena, 2);
  out->set(arena, "type", Value::string("function"));
  out->set(arena, "function", *dumped);
  return Value::dict(out);
}

Outcome<void> add_tool(Value const& tool, std::string_view prefix, std::vector<Value>& out, jinja::Arena& arena) {
  auto const dumped = function_tool(tool, prefix, arena);
  if (!dumped) return dumped.error();
  out.push_back(*dumped);
  return {};
}

Outcome<void> add_namespace(Value const& tool, std::vector<Value>& out, jinja::Arena& arena) {
  Value const inner = tool.get("tools");
  if (!tool.get("name").is_string() || !inner.is_sequence()) return refused("a namespace needs a name and tools");
  for (Value const& one : inner.items()) {
    if (!is_text(one.get("type"), "function")) continue;
    auto const added = add_tool(one, tool.get("name").text(), out, arena);
    if (!added) return added;
  }
  return {};
}

}  // namespace

Outcome<std::vector<ResponseItem>> read_response_items(Value const& input) {
  if (!input.is_sequence()) return refused("input must be a text or a list");
  std::vector<ResponseItem> out;
  for (Value const& item : input.items()) {
    auto read = read_item(item);
    if (!read) return read.error();
    out.push_back(*read);
  }
  return out;
}

Outcome<Value> read_response_tools(Value const& tools, bool& others, jinja::Arena& arena) {
  others = false;
  if (tools.is_undefined()) return Value();
  if (!tools.is_sequence()) return refused("tools must be a list");
  if (tools.items().empty()) return Value();
  std::vector<Value> out;
  for (Value const& tool : tools.items()) {
    Value const type = tool.get("type");
    Outcome<void> added;
    if (is_text(type, "function") || is_text(type, "custom")) {
      added = add_tool(tool, {}, out, arena);
    } else if (is_text(type, "namespace")) {
      added = add_namespace(tool, out, arena);
    }
    others = others || !is_text(type, "function");
    if (!added) return added.error();
  }
  Value* kept = arena.allocate_array<Value>(out.size());
  std::ranges::copy(out, kept);
  return Value::list({kept, out.size()});
}

std::vector<Message> chat_of_items(std::span<ResponseItem const> items, jinja::Arena& arena) {
  Chat chat(arena);
  for (ResponseItem const& item : items) chat.add(item);
  return chat.take();
}

}  // namespace kvgate::text
