#include "text/chat/plan.hpp"

namespace kvgate::text {
namespace {

/// Texts or lists of ids, one prompt each.
Outcome<std::vector<Prompt>> list_prompts(Value const& list, bool add_special_tokens) {
  std::vector<Prompt> out;
  for (Value const& item : list.items()) {
    if (item.is_string()) {
      out.emplace_back(TextPrompt{std::string(item.text()), add_special_tokens});
    } else if (auto ids = read_ids(item)) {
      out.emplace_back(std::move(*ids));
    } else {
      return cannot_tell(Unknown::body, "prompts that are neither texts nor lists of token ids");
    }
    if (out.back().index() != out.front().index()) return refused("prompts must be all texts or all lists");
  }
  return out;
}

}  // namespace

Outcome<std::vector<Prompt>> read_prompts(Value const& prompt, bool add_special_tokens) {
  if (prompt.is_string()) return std::vector<Prompt>{TextPrompt{std::string(prompt.text()), add_special_tokens}};
  if (!prompt.is_sequence() || prompt.items().empty()) return refused("a prompt is needed");
  if (auto ids = read_ids(prompt)) return std::vector<Prompt>{std::move(*ids)};
  return list_prompts(prompt, add_special_tokens);
}

Outcome<Plan> plan_completion(Value const& body, PlanContext const&) {
  if (!is_null(body.get("prompt_embeds"))) return cannot_tell(Unknown::prompt_embeds);
  if (!is_null(body.get("suffix"))) return cannot_tell(Unknown::renderer, "suffix");
  auto const add_special_tokens = read_bool(body, "add_special_tokens", true);
  if (!add_special_tokens) return add_special_tokens.error();
  auto prompts = read_prompts(body.get("prompt"), *add_special_tokens);
  if (!prompts) return prompts.error();
  auto const truncation = read_truncation(body);
  if (!truncation) return truncation.error();
  Plan plan;
  plan.prompts = std::move(*prompts);
  plan.truncation = *truncation;
  return plan;
}

}  // namespace kvgate::text
