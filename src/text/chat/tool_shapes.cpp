#include "text/chat/tool_shapes.hpp"

#include <algorithm>

namespace kvgate::text {
namespace {

using jinja::Arena;
using jinja::Dict;

int check_strict(Value const& value) {
  return value.is_none() ? 0 : check_bool(value);
}
int is_function(Value const& value) {
  return is_text(value, "function") ? 0 : kInvalid;
}
int is_custom(Value const& value) {
  return is_text(value, "custom") ? 0 : kInvalid;
}

constexpr Field kCalled[]{{"arguments", check_text, true}, {"name", check_text, true}};
constexpr Field kCustom[]{{"input", check_text, true}, {"name", check_text, true}};
constexpr Field kFunctionFields[]{
    {"name", check_text, true}, {"description", check_text}, {"parameters", check_dict}, {"strict", check_strict}};

int count_called(Value const& value) {
  return count_fields(kCalled, value);
}
int count_custom(Value const& value) {
  return count_fields(kCustom, value);
}
int count_function(Value const& value) {
  return count_fields(kFunctionFields, value);
}

constexpr Field kFunctionCall[]{
    {"id", check_text, true}, {"function", count_called, true}, {"type", is_function, true}};
constexpr Field kCustomCall[]{{"id", check_text, true}, {"custom", count_custom, true}, {"type", is_custom, true}};
constexpr Field kFunctionTool[]{{"function", count_function, true}, {"type", is_function, true}};

// Fields of a function in the request's `tools`, which are checked by a model of vLLM's own.
constexpr Field kDumped[]{{"name", check_text, true},
                          {"description", check_text_or_null},
                          {"parameters", check_dict_or_null},
                          {"strict", check_strict},
                          {"defer_loading", check_strict}};

Value replaced(Dict* dict, std::string_view key, Value inner, Arena& arena) {
  dict->set(arena, key, inner);
  return Value::dict(dict);
}

Value value_or_none(Value const& value) {
  return value.is_undefined() ? Value::none() : value;
}

void set_flag(Dict* out, std::string_view key, Value const& flag, Arena& arena) {
  if (!is_null(flag)) out->set(arena, key, Value::boolean(*lax_bool(flag)));
}

Outcome<Value> dump_tool(Value const& tool, Arena& arena) {
  if (!tool.is_dict()) return refused("tools must be objects");
  Value const type = tool.get("type");
  Value const defer = tool.get("defer_loading");
  Value const function = tool.get("function");
  if (!type.is_undefined() && !is_text(type, "function")) return refused("tools must be of type function");
  if (!is_null(defer) && !lax_bool(defer)) return refused("defer_loading must be true or false");
  if (!function.is_dict()) return refused("tools need a function");
  auto const dumped = dump_function(function, arena);
  if (!dumped) return dumped;
  Dict* out = Dict::create(arena, 3);
  out->set(arena, "type", Value::string("function"));
  if (!is_null(defer) && is_null(function.get("defer_loading"))) {
    Dict* inner = in_order({}, *dumped, arena);
    set_flag(inner, "defer_loading", defer, arena);
    out->set(arena, "function", Value::dict(inner));
  } else {
    out->set(arena, "function", *dumped);
  }
  set_flag(out, "defer_loading", defer, arena);
  return Value::dict(out);
}

}  // namespace

int count_function_call(Value const& call) {
  return count_fields(kFunctionCall, call);
}

int count_tool_call(Value const& call) {
  return std::max(count_function_call(call), count_fields(kCustomCall, call));
}

int count_function_tool(Value const& tool) {
  return count_fields(kFunctionTool, tool);
}

Value ordered_call(Value const& call, Arena& arena) {
  Dict* out = in_order(kFunctionCall, call, arena);
  Value const function = call.get("function");
  if (!function.is_dict()) return Value::dict(out);
  return replaced(out, "function", Value::dict(in_order(kCalled, function, arena)), arena);
}

Value ordered_tool(Value const& tool, Arena& arena) {
  Dict* out = in_order(kFunctionTool, tool, arena);
  return replaced(out, "function", Value::dict(in_order(kFunctionFields, tool.get("function"), arena)), arena);
}

Outcome<Value> dump_function(Value const& function, Arena& arena) {
  if (count_fields(kDumped, function) == kInvalid) return refused("a tool's function has a field of the wrong type");
  Dict* out = Dict::create(arena, 5);
  out->set(arena, "name", function.get("name"));
  out->set(arena, "description", value_or_none(function.get("description")));
  out->set(arena, "parameters", value_or_none(function.get("parameters")));
  set_flag(out, "strict", function.get("strict"), arena);
  set_flag(out, "defer_loading", function.get("defer_loading"), arena);
  return Value::dict(out);
}

Outcome<Value> dump_tools(Value const& tools, Arena& arena) {
  if (!tools.is_sequence()) return refused("tools must be a list");
  Value* out = arena.allocate_array<Value>(tools.items().size());
  Value* next = out;
  for (Value const& tool : tools.items()) {
    auto const dumped = dump_tool(tool, arena);
    if (!dumped) return dumped;
    *next++ = *dumped;
  }
  return Value::list({out, tools.items().size()});
}

}  // namespace kvgate::text
