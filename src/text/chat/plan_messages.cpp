#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "text/chat/content.hpp"
#include "text/chat/plan.hpp"
#include "text/chat/python_json.hpp"
#include "text/chat/tool_shapes.hpp"

namespace kvgate::text {
namespace {

using jinja::Arena;
using jinja::Dict;

constexpr std::string_view kBillingHeader = "x-anthropic-billing-header";
constexpr std::array<std::string_view, 5> kEfforts{"low", "medium", "high", "xhigh", "max"};

Value dict_of(std::initializer_list<std::pair<std::string_view, Value>> entries, Arena& arena) {
  Dict* out = Dict::create(arena, entries.size());
  for (auto const& [key, value] : entries) out->set(arena, key, value);
  return Value::dict(out);
}

Value text(std::string_view text) {
  return Value::string(text);
}

Value list_of(std::vector<Value> const& items, Arena& arena) {
  Value* out = arena.allocate_array<Value>(items.size());
  std::ranges::copy(items, out);
  return Value::list({out, items.size()});
}

std::string_view text_or_empty(Value const& value) {
  return value.is_string() ? value.text() : std::string_view();
}

/// Image sources become URLs; only what identifies the image matters here.
Value image_part(Value const& source, Arena& arena) {
  std::string_view const url = text_or_empty(source.get(is_text(source.get("type"), "url") ? "url" : "data"));
  return dict_of({{"type", text("image_url")}, {"image_url", dict_of({{"url", text(url)}}, arena)}}, arena);
}

/// Text of a system prompt or message, without blocks that change with every request; nullopt: nothing is left.
Outcome<std::optional<std::string>> system_text(Value const& content) {
  if (content.is_string()) {
    if (content.text().starts_with(kBillingHeader)) return std::optional<std::string>();
    return std::optional<std::string>(content.text());
  }
  if (!content.is_sequence()) return refused("system must be a text or a list of blocks");
  std::string out;
  for (Value const& block : content.items()) {
    if (!block.is_dict()) return refused("blocks must be objects");
    bool const is_change = is_text(block.get("type"), "tool_addition") || is_text(block.get("type"), "tool_removal");
    if (is_change) return cannot_tell(Unknown::input_item, "tools that change");
    std::string_view const piece = text_or_empty(block.get("text"));
    if (is_text(block.get("type"), "text") && !piece.starts_with(kBillingHeader)) out.append(piece);
  }
  if (out.empty()) return std::optional<std::string>();
  return std::optional<std::string>(std::move(out));
}

/// One message of blocks on its way to OpenAI's form; tool results become messages of their own, before it.
class BlockReader {
 public:
  BlockReader(std::string_view role, std::vector<Value>& messages, Arena& arena)
      : role_(role), messages_(messages), arena_(arena) {}

  Outcome<void> add(Value const& block) {
    Value const type = block.get("type");
    if (!block.is_dict() || !type.is_string()) return refused("blocks need a type");
    if (type.text() == "text") return add_text(block);
    if (type.text() == "image") return add_image(block);
    if (type.text() == "thinking") return add_thinking(block);
    if (type.text() == "tool_use") return add_call(block);
    if (type.text() == "tool_result") return add_result(block);
    if (type.text() == "redacted_thinking" || type.text() == "tool_reference") return {};
    return refused("a block of this type is not possible here");
  }

  /// The message, undefined if nothing is left of it.
  Value take() {
    Dict* out = Dict::create(arena_, 4);
    out->set(arena_, "role", text(role_));
    if (has_thinking_) out->set(arena_, "reasoning", Value::string(arena_.copy(thinking_)));
    if (!calls_.empty()) out->set(arena_, "tool_calls", list_of(calls_, arena_));
    bool const one_text = parts_.size() == 1 && is_text(parts_[0].get("type"), "text");
    if (one_text) out->set(arena_, "content", parts_[0].get("text"));
    if (!one_text && !parts_.empty()) out->set(arena_, "content", list_of(parts_, arena_));
    if (role_ == "user" && parts_.empty()) return Value();
    return Value::dict(out);
  }

 private:
  void add_part(std::string_view content) {
    parts_.push_back(dict_of({{"type", text("text")}, {"text", text(content)}}, arena_));
  }

  Outcome<void> add_text(Value const& block) {
    Value const content = block.get("text");
    if (!is_null(content) && !content.is_string()) return refused("text must be a text");
    if (!text_or_empty(content).empty()) add_part(content.text());
    return {};
  }

  Outcome<void> add_image(Value const& block) {
    Value const source = block.get("source");
    if (!is_null(source) && !source.is_dict()) return refused("source must be an object");
    if (truthy(source)) parts_.push_back(image_part(source, arena_));
    return {};
  }

  Outcome<void> add_thinking(Value const& block) {
    Value const thinking = block.get("thinking");
    if (is_null(thinking)) return {};
    if (!thinking.is_string()) return refused("thinking must be a text");
    thinking_.append(thinking.text());
    has_thinking_ = true;
    return {};
  }

  Outcome<void> add_call(Value const& block) {
    Value const id = block.get("id");
    Value const input = block.get("input");
    if (!is_null(input) && !input.is_dict()) return refused("input must be an object");
    // Without an id, the engine makes one of the time.
    if (text_or_empty(id).empty()) return cannot_tell(Unknown::input_item, "a tool_use block without id");
    auto const arguments = input.is_dict() ? python_json(input) : Outcome<std::string>("{}");
    if (!arguments) return arguments.error();
    Value const function = dict_of(
        {{"name", text(text_or_empty(block.get("name")))}, {"arguments", text(arena_.copy(*arguments))}}, arena_);
    calls_.push_back(dict_of({{"id", id}, {"type", text("function")}, {"function", function}}, arena_));
    return {};
  }

  Outcome<void> add_result(Value const& block) {
    Value const content = block.get("content");
    if (!is_null(content) && !content.is_string() && !content.is_sequence()) return refused("content must be a text");
    if (role_ == "user") return add_user_result(block, content);
    // Of a list, the engine writes what Python shows of it.
    if (content.is_sequence() && truthy(content)) return cannot_tell(Unknown::input_item, "a result of the assistant");
    add_part(arena_.copy("Tool result: " + std::string(text_or_empty(content))));
    return {};
  }

  Value tool_message(Value const& block, Value const& content) {
    Value const id = text(text_or_empty(block.get("tool_use_id")));
    return dict_of({{"role", text("tool")}, {"tool_call_id", id}, {"content", content}}, arena_);
  }

  Outcome<void> add_user_result(Value const& block, Value const& content) {
    std::string joined(text_or_empty(content));
    std::vector<Value> images;
    std::vector<Value> references;
    bool first = true;
    for (Value const& item : content.is_sequence() ? content.items() : std::span<Value const>()) {
      Value const type = item.get("type");
      if (is_text(type, "text")) {
        if (!item.get("text").is_undefined() && !item.get("text").is_string()) return refused("text must be a text");
        joined.append(first ? "" : "\n").append(text_or_empty(item.get("text")));
        first = false;
      } else if (is_text(type, "image")) {
        images.push_back(image_part(item.get("source"), arena_));
      } else if (is_text(type, "tool_reference")) {
        add_reference(item, references);
      }
    }
    messages_.push_back(tool_message(block, text(arena_.copy(joined))));
    if (!images.empty()) {
      messages_.push_back(dict_of({{"role", text("user")}, {"content", list_of(images, arena_)}}, arena_));
    }
    if (!references.empty()) messages_.push_back(tool_message(block, list_of(references, arena_)));
    return {};
  }

  void add_reference(Value const& item, std::vector<Value>& references) {
    Value const name = truthy(item.get("tool_name")) ? item.get("tool_name") : item.get("name");
    if (truthy(name)) references.push_back(dict_of({{"type", text("tool_reference")}, {"name", name}}, arena_));
  }

  std::string_view role_;
  std::vector<Value>& messages_;
  Arena& arena_;
  std::vector<Value> parts_;
  std::vector<Value> calls_;
  std::string thinking_;
  bool has_thinking_ = false;
};

/// OpenAI's form of Anthropic's messages.
class Converter {
 public:
  explicit Converter(PlanContext const& context) : context_(context), arena_(context.arena) {}

  /// The messages, as a chat request would have them.
  Outcome<Value> convert(Value const& body) {
    Value const messages = body.get("messages");
    if (!messages.is_sequence()) return refused("messages must be a list");
    auto done = add_system(body.get("system"), messages);
    for (Value const& message : messages.items()) {
      if (done) done = add(message);
    }
    if (!done) return done.error();
    return list_of(messages_, arena_);
  }

 private:
  Outcome<void> add_system(Value const& system, Value const& messages) {
    std::string joined;
    auto done = append_system(system, joined);
    if (done && context_.model.merges_inline_system) {
      for (Value const& message : messages.items()) {
        if (done && is_text(message.get("role"), "system")) done = append_system(message.get("content"), joined);
      }
    }
    if (done && !joined.empty()) put("system", text(arena_.copy(joined)));
    return done;
  }

  static Outcome<void> append_system(Value const& content, std::string& joined) {
    if (is_null(content)) return {};
    auto const read = system_text(content);
    if (!read) return read.error();
    if (*read) joined.append(**read);
    return {};
  }

  Outcome<void> add(Value const& message) {
    Value const role = message.get("role");
    Value const content = message.get("content");
    if (is_text(role, "system")) return add_inline_system(content);
    if (!is_text(role, "user") && !is_text(role, "assistant")) return refused("role must be user, assistant or system");
    if (content.is_string()) {
      put(role.text(), content);
      return {};
    }
    if (!content.is_sequence()) return refused("content must be a text or a list of blocks");
    BlockReader reader(role.text(), messages_, arena_);
    for (Value const& block : content.items()) {
      auto const added = reader.add(block);
      if (!added) return added;
    }
    Value const made = reader.take();
    if (!made.is_undefined()) messages_.push_back(made);
    return {};
  }

  Outcome<void> add_inline_system(Value const& content) {
    if (context_.model.merges_inline_system) return {};
    auto const read = system_text(content);
    if (!read) return read.error();
    if (*read && !(*read)->empty()) put("system", text(arena_.copy(**read)));
    return {};
  }

  void put(std::string_view role, Value const& content) {
    messages_.push_back(dict_of({{"role", text(role)}, {"content", content}}, arena_));
  }

  PlanContext const& context_;
  Arena& arena_;
  std::vector<Value> messages_;
};

Outcome<Value> convert_tool(Value const& tool, Arena& arena) {
  Value const schema = tool.get("input_schema");
  if (!tool.is_dict() || !schema.is_dict()) return refused("tools need an input_schema");
  Dict* parameters = in_order({}, schema, arena);
  if (schema.get("type").is_undefined()) parameters->set(arena, "type", text("object"));
  Value const function = dict_of({{"name", tool.get("name")},
                                  {"description", tool.get("description")},
                                  {"parameters", Value::dict(parameters)},
                                  {"strict", tool.get("strict")},
                                  {"defer_loading", tool.get("defer_loading")}},
                                 arena);
  Dict* given = Dict::create(arena, 5);
  for (auto const& entry : function.dict().entries()) {
    if (!entry.value.is_undefined()) given->set(arena, entry.key, entry.value);
  }
  auto const dumped = dump_function(Value::dict(given), arena);
  if (!dumped) return dumped;
  return dict_of({{"type", text("function")}, {"function", *dumped}}, arena);
}

Outcome<Value> convert_tools(Value const& tools, Arena& arena) {
  if (is_null(tools)) return Value();
  if (!tools.is_sequence()) return refused("tools must be a list");
  std::vector<Value> out;
  for (Value const& tool : tools.items()) {
    auto const made = convert_tool(tool, arena);
    if (!made) return made;
    out.push_back(*made);
  }
  return list_of(out, arena);
}

/// reasoning_effort, as thinking and output_config say it; undefined: neither does.
Outcome<Value> effort_of(Value const& body, PromptModel const& model) {
  Value const effort = body.get("output_config").get("effort");
  bool const known = effort.is_string() && std::ranges::find(kEfforts, effort.text()) != kEfforts.end();
  if (!is_null(effort) && !known) return refused("output_config.effort has a value that does not exist");
  if (is_text(body.get("thinking").get("type"), "disabled")) return text(model.disabled_thinking_effort);
  return is_null(effort) ? Value() : effort;
}

}  // namespace

Outcome<Plan> plan_messages(Value const& body, PlanContext const& context) {
  ChatRequest chat;
  auto const kwargs = read_dict(body, "chat_template_kwargs");
  if (!kwargs) return kwargs.error();
  if (!is_null(kwargs->get("chat_template"))) return cannot_tell(Unknown::request_template);
  chat.chat_template_kwargs = *kwargs;
  auto const converted = Converter(context).convert(body);
  if (!converted) return converted.error();
  auto messages = read_messages(*converted, context.arena);
  if (!messages) return messages.error();
  chat.messages = std::move(*messages);
  if (!has_media(*converted)) chat.forwarded_ids = forwarded_ids(body);
  auto const tools = convert_tools(body.get("tools"), context.arena);
  if (!tools) return tools.error();
  chat.tools = *tools;
  chat.tools_off = is_text(body.get("tool_choice").get("type"), "none");
  auto const effort = effort_of(body, context.model);
  if (!effort) return effort.error();
  chat.reasoning_effort = *effort;
  return plan_chat_request(chat, context);
}

}  // namespace kvgate::text
