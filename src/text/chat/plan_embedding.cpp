#include <algorithm>

#include "text/chat/plan.hpp"

namespace kvgate::text {
namespace {

bool is_chat(Value const& value) {
  auto const is_message = [](Value const& item) { return item.is_dict() && item.get("role").is_string(); };
  return value.is_sequence() && !value.items().empty() && std::ranges::all_of(value.items(), is_message);
}

bool is_batch(Value const& value) {
  return value.is_sequence() && !value.items().empty() && std::ranges::all_of(value.items(), is_chat);
}

/// Adds one conversation to the plan.
Outcome<void> add_chat(Value const& messages, ChatRequest& options, PlanContext const& context, Plan& plan) {
  auto read = read_messages(messages, context.arena);
  if (!read) return read.error();
  options.messages = std::move(*read);
  auto one = plan_chat_request(options, context);
  if (!one) return one.error();
  plan.prompts.push_back(std::move(one->prompts.front()));
  plan.media.insert(plan.media.end(), one->media.begin(), one->media.end());
  return {};
}

Outcome<Plan> chat_plan(Value const& body, Value const& messages, PlanContext const& context) {
  ChatRequest options;
  auto done = read_chat_options(body, false, options);
  if (!done) return done.error();
  Plan plan;
  if (!is_batch(messages)) {
    done = add_chat(messages, options, context, plan);
  } else {
    for (Value const& one : messages.items()) {
      if (done) done = add_chat(one, options, context, plan);
    }
    if (done && !plan.media.empty()) return cannot_tell(Unknown::media);
  }
  if (!done) return done.error();
  plan.truncation = options.truncation;
  return plan;
}

Outcome<Plan> text_plan(Value const& body) {
  auto const add_special_tokens = read_bool(body, "add_special_tokens", true);
  if (!add_special_tokens) return add_special_tokens.error();
  auto prompts = read_prompts(body.get("input"), *add_special_tokens);
  if (!prompts) return prompts.error();
  auto const truncation = read_truncation(body);
  if (!truncation) return truncation.error();
  Plan plan;
  plan.prompts = std::move(*prompts);
  plan.truncation = *truncation;
  return plan;
}

}  // namespace

Outcome<Plan> plan_embedding(Value const& body, PlanContext const& context) {
  Value const input = body.get("input");
  Value const messages = body.get("messages");
  if (is_text(body.get("padding"), "max_length")) return cannot_tell(Unknown::truncation, "padding");
  if (is_null(input) && is_null(messages)) return cannot_tell(Unknown::body, "neither input nor messages");
  bool const chat_input = is_null(messages) && (is_chat(input) || is_batch(input));
  auto plan =
      is_null(messages) && !chat_input ? text_plan(body) : chat_plan(body, chat_input ? input : messages, context);
  if (plan) plan->pooling = true;
  return plan;
}

}  // namespace kvgate::text
