// The shapes of tools and tool calls.
#pragma once

#include "text/chat/stop.hpp"
#include "text/chat/typed_dict.hpp"

namespace kvgate::text {

/// A call of a function in an assistant message.
int count_function_call(Value const& call);

/// A call of a function or of a custom tool.
int count_tool_call(Value const& call);

/// A function tool as OpenAI defines it, in a developer message.
int count_function_tool(Value const& tool);

/// With keys in the order in which the engine passes them on. `call` and `tool` are dicts that were counted.
Value ordered_call(Value const& call, jinja::Arena& arena);
Value ordered_tool(Value const& tool, jinja::Arena& arena);

/// The `tools` of a chat request as templates get them: {type, function {name, description, parameters}}, with None for
/// a description or parameters that are not there, and nothing that the engine does not know. Stops: refused.
Outcome<Value> dump_tools(Value const& tools, jinja::Arena& arena);

/// One function as dump_tools writes it; `function` is a dict. Stops: refused.
Outcome<Value> dump_function(Value const& function, jinja::Arena& arena);

}  // namespace kvgate::text
