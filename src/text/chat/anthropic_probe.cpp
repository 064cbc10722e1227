#include "text/chat/anthropic_probe.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "text/chat/plan.hpp"
#include "text/jinja/json_reader.hpp"

namespace kvgate::text {
namespace {

constexpr std::string_view kConversation =
    R"({"messages": [{"role": "system", "content": "t"}, {"role": "user", "content": "t"},
                     {"role": "system", "content": "t"}, {"role": "user", "content": "t"}],
        "add_generation_prompt": false})";

/// vLLM tries this with an environment that knows neither the clock nor generation tags: templates that need them fail.
bool refuses_second_system(ChatTemplate const& chat) {
  if (chat.source.find("endgeneration") != std::string::npos) return true;
  bool asked_clock = false;
  jinja::RenderOptions options;
  options.now = [&asked_clock] {
    asked_clock = true;
    return jinja::LocalTime();
  };
  jinja::Arena arena;
  auto const globals = jinja::parse_json(kConversation, arena);
  return !globals || !chat.compiled.render(*globals, options) || asked_clock;
}

/// The prompt of a short chat with this effort; nullopt: it is refused.
std::optional<std::string> probe(PromptModel const& model, std::string_view effort) {
  jinja::Arena arena;
  ChatRequest request;
  request.messages.resize(1);
  request.messages[0].role = "user";
  request.messages[0].content = Value::string("Hi");
  request.reasoning_effort = Value::string(effort);
  jinja::RenderOptions const options;
  auto plan = plan_chat_request(request, PlanContext{model, options, arena});
  if (!plan) return std::nullopt;
  auto const* text = std::get_if<TextPrompt>(&plan->prompts.front());
  return text == nullptr ? std::optional<std::string>("") : text->text;
}

}  // namespace

bool merges_inline_system(PromptModel const& model) {
  if (model.renderer == Renderer::unsupported) return true;
  auto const refuses = [&](bool tools) {
    ChatTemplate const* chat = model.templates.choose(tools);
    return chat == nullptr || refuses_second_system(*chat);
  };
  return refuses(false) || refuses(true);
}

std::string probe_disabled_effort(PromptModel const& model) {
  auto const none = probe(model, "none");
  if (!none) return "low";
  constexpr std::array<std::string_view, 5> efforts{"low", "medium", "high", "xhigh", "max"};
  bool const ignored = std::ranges::any_of(efforts, [&](auto effort) { return probe(model, effort) == none; });
  return ignored ? "low" : "none";
}

}  // namespace kvgate::text
