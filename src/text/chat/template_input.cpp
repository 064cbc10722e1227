#include "text/chat/template_input.hpp"

#include <algorithm>
#include <array>

#include "text/jinja/json_reader.hpp"

namespace kvgate::text {
namespace {

using jinja::Arena;
using jinja::Dict;

// Parameters of apply_chat_template that never reach the template.
constexpr std::array<std::string_view, 9> kConsumed{"padding",          "truncation",  "max_length",
                                                    "return_tensors",   "return_dict", "return_assistant_tokens_mask",
                                                    "tokenizer_kwargs", "tokenize",    "chat_template"};

// Names that are taken already, so that Python refuses the call.
constexpr std::array<std::string_view, 4> kTaken{"self", "conversation", "conversations", "messages"};

bool contains(std::span<std::string_view const> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_unset(Value const& value) {
  return is_null(value) || is_text(value, "auto");
}

void set_given(Dict* out, std::string_view key, Value const& value, Arena& arena) {
  if (!is_unset(value)) out->set(arena, key, value);
}

void merge(Dict* out, Value const& kwargs, Arena& arena) {
  if (!kwargs.is_dict()) return;
  for (auto const& entry : kwargs.dict().entries()) set_given(out, entry.key.text(), entry.value, arena);
}

bool all_dicts(Value const& list) {
  return list.is_sequence() && std::ranges::all_of(list.items(), [](Value const& item) { return item.is_dict(); });
}

/// Everything by name: defaults of the engine, then the request's kwargs, then its fields.
Dict* merged(ChatRequest const& request, ChatTemplates const& model, Arena& arena) {
  Dict* out = Dict::create(arena, 8);
  if (!model.default_kwargs.empty()) {
    auto const defaults = jinja::parse_json(model.default_kwargs, arena);
    if (defaults && defaults->is_dict()) {
      for (auto const& entry : defaults->dict().entries()) out->set(arena, entry.key, entry.value);
    }
  }
  bool const hidden = request.tools_off && model.hide_unused_tools;
  if (!hidden) set_given(out, "tools", request.tools, arena);
  merge(out, request.chat_template_kwargs, arena);
  out->set(arena, "add_generation_prompt", Value::boolean(request.add_generation_prompt));
  out->set(arena, "continue_final_message", Value::boolean(request.continue_final_message));
  set_given(out, "documents", request.documents, arena);
  set_given(out, "reasoning_effort", request.reasoning_effort, arena);
  bool const says_thinking = !request.chat_template_kwargs.get("enable_thinking").is_undefined();
  if (!is_null(request.reasoning_effort) && !says_thinking) {
    out->set(arena, "enable_thinking", Value::boolean(request.reasoning_effort.text() != "none"));
  }
  return out;
}

Value or_none(Value const& value) {
  return value.is_undefined() ? Value::none() : value;
}

Outcome<void> add_used(Dict const& kwargs, ChatTemplate const& chosen, Dict* out, Arena& arena) {
  auto const& used = chosen.compiled.undeclared_variables();
  for (auto const& entry : kwargs.entries()) {
    std::string_view const name = entry.key.text();
    bool const reserved = name == "self" || name == "conversation";
    if (!reserved && !std::ranges::binary_search(used, name)) continue;
    if (contains(kTaken, name)) return refused("chat_template_kwargs sets " + std::string(name));
    if (!contains(kConsumed, name)) out->set(arena, entry.key, entry.value);
  }
  return {};
}

}  // namespace

Outcome<TemplateInput> template_input(ChatRequest const& request, ChatTemplates const& model, jinja::Arena& arena) {
  TemplateInput out;
  out.others = merged(request, model, arena);
  Value const all = Value::dict(out.others);
  out.tools = or_none(all.get("tools"));
  out.documents = or_none(all.get("documents"));
  out.add_generation_prompt = truthy(all.get("add_generation_prompt"));
  out.continue_final_message = truthy(all.get("continue_final_message"));
  if (!out.tools.is_none() && !all_dicts(out.tools)) return refused("tools must be a list of objects");
  if (!out.documents.is_none() && !all_dicts(out.documents)) return refused("documents must be a list of objects");
  if (truthy(all.get("return_assistant_tokens_mask"))) return refused("return_assistant_tokens_mask is not possible");
  if (out.continue_final_message && out.add_generation_prompt) {
    return refused("continue_final_message and add_generation_prompt are not compatible.");
  }
  return out;
}

Outcome<Value> template_globals(TemplateInput const& input, Value const& messages, ChatTemplates const& model,
                                ChatTemplate const& chosen, jinja::Arena& arena) {
  Dict* out = Dict::create(arena, model.special_tokens.size() + input.others->size() + 4);
  for (auto const& [name, text] : model.special_tokens) out->set(arena, name, Value::string(text));
  auto const added = add_used(*input.others, chosen, out, arena);
  if (!added) return added.error();
  out->set(arena, "messages", messages);
  out->set(arena, "tools", input.tools);
  out->set(arena, "documents", input.documents);
  out->set(arena, "add_generation_prompt", Value::boolean(input.add_generation_prompt));
  return Value::dict(out);
}

}  // namespace kvgate::text
