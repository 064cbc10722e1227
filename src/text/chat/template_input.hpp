// What a template is called with.
#pragma once

#include "text/chat/chat_request.hpp"
#include "text/chat/chat_template.hpp"

namespace kvgate::text {

/// The arguments of transformers' apply_chat_template, without the messages.
struct TemplateInput {
  Value tools = Value::none();
  Value documents = Value::none();
  bool add_generation_prompt = true;
  bool continue_final_message = false;
  jinja::Dict* others = nullptr;  ///< further variables, before the template's own are picked
};

/// Merges the request's fields with its chat_template_kwargs and the engine's defaults. Stops: refused.
Outcome<TemplateInput> template_input(ChatRequest const& request, ChatTemplates const& model, jinja::Arena& arena);

/// The variables that `chosen` renders `messages` with: special tokens, those of `input.others` that the template uses,
/// and messages, tools, documents, add_generation_prompt. Stops: refused.
Outcome<Value> template_globals(TemplateInput const& input, Value const& messages, ChatTemplates const& model,
                                ChatTemplate const& chosen, jinja::Arena& arena);

}  // namespace kvgate::text
