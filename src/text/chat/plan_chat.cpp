#include <array>
#include <cstdio>

#include "text/chat/harmony/chat.hpp"
#include "text/chat/plan.hpp"
#include "text/chat/render_chat.hpp"

namespace kvgate::text {
namespace {

Outcome<Plan> harmony_plan(ChatRequest const& request, PlanContext const& context) {
  bool const hidden = request.tools_off && context.model.templates.hide_unused_tools;
  auto messages = harmony::chat_messages(request, !hidden, harmony_date(context), context.arena);
  if (!messages) return messages.error();
  Plan plan;
  plan.prompts.emplace_back(std::move(*messages));
  return plan;
}

Outcome<Plan> template_plan(ChatRequest const& request, PlanContext const& context) {
  auto rendered = render_chat(request, context.model.templates, context.options, context.arena);
  if (!rendered) return rendered.error();
  Plan plan;
  plan.prompts.emplace_back(TextPrompt{std::move(rendered->text), request.add_special_tokens});
  plan.media = std::move(rendered->media);
  return plan;
}

Outcome<Plan> forwarded_plan(Value const& forwarded) {
  auto ids = read_ids(forwarded);
  if (!ids || ids->empty()) return refused("`kv_transfer_params['prompt_token_ids']` must be a non-empty list of ids");
  Plan plan;
  plan.prompts.emplace_back(std::move(*ids));
  return plan;
}

}  // namespace

std::string harmony_date(PlanContext const& context) {
  if (!context.model.start_date.empty()) return context.model.start_date;
  std::tm const tm = context.options.now().tm;
  std::array<char, 32> buffer;
  std::snprintf(buffer.data(), buffer.size(), "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
  return buffer.data();
}

Outcome<Plan> plan_chat_request(ChatRequest const& request, PlanContext const& context) {
  if (!request.forwarded_ids.is_undefined()) return forwarded_plan(request.forwarded_ids);
  if (context.model.renderer == Renderer::unsupported) {
    return cannot_tell(Unknown::renderer, context.model.unsupported);
  }
  auto plan =
      context.model.renderer == Renderer::harmony ? harmony_plan(request, context) : template_plan(request, context);
  // Harmony prompts are made of tokens: nothing shortens them.
  if (plan && context.model.renderer == Renderer::jinja) plan->truncation = request.truncation;
  return plan;
}

Outcome<Plan> plan_chat(Value const& body, PlanContext const& context) {
  auto const request = read_chat_request(body, context.arena);
  if (!request) return request.error();
  return plan_chat_request(*request, context);
}

Outcome<Plan> plan_batch_chat(Value const& body, PlanContext const& context) {
  Value const conversations = body.get("messages");
  if (!conversations.is_sequence() || conversations.items().empty()) return refused("messages must be a list of lists");
  Plan out;
  for (Value const& messages : conversations.items()) {
    if (!messages.is_sequence() || messages.items().empty()) return refused("messages must be a list of lists");
    jinja::Dict* one = in_order({}, body, context.arena);
    one->set(context.arena, "messages", messages);
    auto plan = plan_chat(Value::dict(one), context);
    if (!plan) return plan;
    if (!plan->media.empty()) return cannot_tell(Unknown::media);
    out.prompts.push_back(std::move(plan->prompts.front()));
    out.truncation = plan->truncation;
  }
  return out;
}

}  // namespace kvgate::text
