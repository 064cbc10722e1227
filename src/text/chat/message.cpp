#include "text/chat/message.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "text/chat/part_shapes.hpp"
#include "text/chat/tool_shapes.hpp"
#include "text/jinja/code_points.hpp"

namespace kvgate::text {
namespace {

using jinja::Arena;

// A list that OpenAI's model looks into only later: any list will do, and nothing in it is counted.
int check_lazy_list(Value const& value) {
  return value.is_sequence() ? 0 : kInvalid;
}
int check_content(Value const& value) {
  return value.is_string() ? 0 : check_lazy_list(value);
}
int check_content_or_null(Value const& value) {
  return value.is_none() ? 0 : check_content(value);
}

template <int (*count)(Value const&)>
int count_list(Value const& value) {
  if (!value.is_sequence()) return kInvalid;
  int total = 0;
  for (Value const& item : value.items()) {
    int const inner = count(item);
    if (inner == kInvalid) return kInvalid;
    total += inner;
  }
  return total;
}

template <int (*count)(Value const&)>
int count_list_or_null(Value const& value) {
  return value.is_none() ? 0 : count_list<count>(value);
}

int count_content(Value const& value) {
  return value.is_string() ? 0 : count_list<count_any_part>(value);
}

constexpr Field kAudioFields[]{{"id", check_text, true}};
constexpr Field kFunctionCallFields[]{{"arguments", check_text, true}, {"name", check_text, true}};

int check_audio(Value const& value) {
  return value.is_none() ? 0 : count_fields(kAudioFields, value);
}
int check_function_call(Value const& value) {
  return value.is_none() ? 0 : count_fields(kFunctionCallFields, value);
}

constexpr Field kPlain[]{{"content", check_content, true}, {"role", check_text, true}, {"name", check_text}};
constexpr Field kAssistant[]{{"role", check_text, true},
                             {"audio", check_audio},
                             {"content", check_content_or_null},
                             {"function_call", check_function_call},
                             {"name", check_text},
                             {"refusal", check_text_or_null},
                             {"tool_calls", check_lazy_list}};
constexpr Field kTool[]{
    {"content", check_content, true}, {"role", check_text, true}, {"tool_call_id", check_text, true}};
constexpr Field kFunction[]{
    {"content", check_text_or_null, true}, {"name", check_text, true}, {"role", check_text, true}};

constexpr Field kFree[]{{"role", check_text, true},
                        {"content", count_content},
                        {"name", check_text},
                        {"tool_call_id", check_text_or_null},
                        {"tool_calls", count_list_or_null<count_function_call>},
                        {"reasoning", check_text_or_null},
                        {"tools", count_list_or_null<count_function_tool>},
                        {"task", check_text_or_null}};

/// OpenAI's model of one role, and what it takes as a part of content.
struct RoleModel {
  std::string_view role;
  std::span<Field const> fields;
  int (*count_part)(Value const& part);
};

constexpr std::array<RoleModel, 6> kRoleModels{{{"user", kPlain, count_user_part},
                                                {"assistant", kAssistant, count_assistant_part},
                                                {"tool", kTool, count_text_part},
                                                {"system", kPlain, count_text_part},
                                                {"developer", kPlain, count_text_part},
                                                {"function", kFunction, count_text_part}}};

RoleModel const* role_model(std::string_view role) {
  auto const* found = std::ranges::find(kRoleModels, role, &RoleModel::role);
  return found == kRoleModels.end() ? nullptr : found;
}

// Python's list(value) of what JSON can hold.
Outcome<Value> listed(Value const& value, Arena& arena) {
  if (value.is_sequence()) return value;
  std::vector<Value> items;
  if (value.is_dict()) {
    for (auto const& entry : value.dict().entries()) items.push_back(entry.key);
  } else if (value.is_string()) {
    for (std::size_t at = 0; at < value.text().size();) {
      std::size_t const width = jinja::width_at(value.text(), at);
      items.push_back(Value::string(value.text().substr(at, width)));
      at += width;
    }
  } else {
    return refused("tool_calls must be a list");
  }
  Value* kept = arena.allocate_array<Value>(items.size());
  std::ranges::copy(items, kept);
  return Value::list({kept, items.size()});
}

/// Renames the old field and makes a list of tool_calls, before anything is checked.
Outcome<Value> normalised(Value const& message, Arena& arena) {
  Value const calls = message.get("tool_calls");
  bool const relist = !is_null(calls) && !calls.is_sequence();
  if (!relist && message.dict().find("reasoning_content") == nullptr) return message;
  jinja::Dict* out = jinja::Dict::create(arena, message.dict().size() + 1);
  for (auto const& entry : message.dict().entries()) {
    if (!is_text(entry.key, "reasoning_content")) out->set(arena, entry.key, entry.value);
  }
  Value const old = message.get("reasoning_content");
  if (!is_null(old) && is_null(message.get("reasoning"))) out->set(arena, "reasoning", old);
  if (relist) {
    auto const list = listed(calls, arena);
    if (!list) return list;
    out->set(arena, "tool_calls", *list);
  }
  return Value::dict(out);
}

bool has_broken_part(RoleModel const& model, Value const& content) {
  return std::ranges::any_of(content.items(), [&](Value const& part) { return model.count_part(part) == kInvalid; });
}

bool calls_are_valid(Value const& calls) {
  if (!calls.is_sequence()) return true;
  return std::ranges::all_of(calls.items(), [](Value const& call) { return count_tool_call(call) != kInvalid; });
}

Value ordered_calls(Value const& calls, Arena& arena) {
  if (!calls.is_sequence() || calls.items().empty()) return calls;
  Value* out = arena.allocate_array<Value>(calls.items().size());
  Value* next = out;
  for (Value const& call : calls.items()) *next++ = call.is_dict() ? ordered_call(call, arena) : call;
  return Value::list({out, calls.items().size()});
}

Value ordered_tools(Value const& tools, Arena& arena) {
  if (!tools.is_sequence()) return tools;
  Value* out = arena.allocate_array<Value>(tools.items().size());
  Value* next = out;
  for (Value const& tool : tools.items()) *next++ = ordered_tool(tool, arena);
  return Value::list({out, tools.items().size()});
}

Message fields_of(Value const& message, bool free_model, Arena& arena) {
  Message out;
  out.role = message.get("role").text();
  out.content = message.get("content");
  out.tool_calls = message.get("tool_calls");
  if (out.role == "assistant") out.tool_calls = ordered_calls(out.tool_calls, arena);
  out.reasoning = message.get("reasoning");
  out.tool_call_id = message.get("tool_call_id");
  out.name = message.get("name");
  out.task = message.get("task");
  out.tools = free_model ? ordered_tools(message.get("tools"), arena) : message.get("tools");
  return out;
}

}  // namespace

Outcome<Message> read_message(Value const& raw, jinja::Arena& arena) {
  if (!raw.is_dict()) return refused("messages must be objects");
  if (raw.dict().find("author") != nullptr) return cannot_tell(Unknown::input_item, "a message in Harmony's form");
  auto const message = normalised(raw, arena);
  if (!message) return message.error();
  Value const role = message->get("role");
  if (!role.is_string()) return refused("messages need a role");
  RoleModel const* model = role_model(role.text());
  int const own = model == nullptr ? kInvalid : count_fields(model->fields, *message);
  int const free = count_fields(kFree, *message);
  if (own == kInvalid && free == kInvalid) return refused("a message has a field of the wrong type");
  bool const free_model = free > own;
  Message out = fields_of(*message, free_model, arena);
  if (free_model) return out;
  if (out.role == "assistant" && !calls_are_valid(out.tool_calls)) return refused("a tool call has the wrong form");
  out.lazy_content = out.content.is_sequence();
  out.broken_content = out.lazy_content && has_broken_part(*model, out.content);
  return out;
}

}  // namespace kvgate::text
