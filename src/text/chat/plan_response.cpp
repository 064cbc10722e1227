#include <algorithm>
#include <unordered_map>

#include "text/chat/content.hpp"
#include "text/chat/harmony/chat.hpp"
#include "text/chat/plan.hpp"
#include "text/chat/response_items.hpp"

namespace kvgate::text {
namespace {

/// What both ways of rendering start from.
struct ResponseRequest {
  Value instructions;  ///< a text, or undefined
  std::vector<ResponseItem> items;
  Value tools;
  bool other_tools = false;
  Value effort;
};

ResponseItem user_text(Value const& text) {
  ResponseItem out;
  out.role = "user";
  out.content = text;
  return out;
}

Outcome<ResponseRequest> read_request(Value const& body, jinja::Arena& arena) {
  if (!is_null(body.get("previous_response_id"))) return cannot_tell(Unknown::previous_response);
  if (!is_null(body.get("previous_input_messages"))) return cannot_tell(Unknown::input_item, "previous_input_messages");
  if (!is_null(body.get("prompt"))) return refused("prompt template is not supported");
  ResponseRequest out;
  out.instructions = body.get("instructions");
  out.effort = body.get("reasoning").get("effort");
  if (!is_null(out.instructions) && !out.instructions.is_string()) return refused("instructions must be a text");
  if (!valid_effort(out.effort)) return refused("reasoning.effort has a value that does not exist");
  auto const tools = read_response_tools(body.get("tools"), out.other_tools, arena);
  if (!tools) return tools.error();
  out.tools = *tools;
  if (body.get("input").is_string()) {
    out.items.push_back(user_text(body.get("input")));
    return out;
  }
  auto items = read_response_items(body.get("input"));
  if (!items) return items.error();
  out.items = std::move(*items);
  return out;
}

/// The engine may shorten the prompt to what fits the model, which is left to it.
Truncation truncation_of(Value const& body) {
  Value const truncation = body.get("truncation");
  Truncation out;
  if (!truncation.is_undefined() && !is_text(truncation, "disabled")) out.keep = -1;
  return out;
}

bool continues(std::vector<ResponseItem> const& items) {
  if (items.empty()) return false;
  using Kind = ResponseItem::Kind;
  ResponseItem const& last = items.back();
  return last.unfinished && (last.kind == Kind::message || last.kind == Kind::reasoning);
}

bool says_nothing(ResponseItem const& item) {
  return item.typed && item.role == "assistant" && item.content.is_sequence() && item.content.items().empty();
}

Outcome<ChatRequest> chat_request(ResponseRequest const& request, Value const& body, jinja::Arena& arena) {
  if (std::ranges::any_of(request.items, says_nothing)) return refused("an assistant message needs content");
  ChatRequest chat;
  auto const kwargs = read_dict(body, "chat_template_kwargs");
  if (!kwargs) return kwargs.error();
  if (!is_null(kwargs->get("chat_template"))) return cannot_tell(Unknown::request_template);
  chat.chat_template_kwargs = *kwargs;
  chat.tools = request.tools;
  chat.tools_off = is_text(body.get("tool_choice"), "none");
  chat.reasoning_effort = request.effort;
  chat.continue_final_message = continues(request.items);
  chat.add_generation_prompt = !chat.continue_final_message;
  chat.add_special_tokens = true;  // as this API does, whatever the template writes
  if (!has_media(body.get("input"))) chat.forwarded_ids = forwarded_ids(body);
  if (request.instructions.is_string() && !request.instructions.text().empty()) {
    Message& system = chat.messages.emplace_back();
    system.role = "system";
    system.content = request.instructions;
  }
  auto messages = chat_of_items(request.items, arena);
  std::ranges::move(messages, std::back_inserter(chat.messages));
  return chat;
}

/// Turns items into Harmony messages.
class HarmonyItems {
 public:
  explicit HarmonyItems(jinja::Arena& arena) : arena_(arena) {}

  Outcome<void> add(ResponseItem const& item) {
    using Kind = ResponseItem::Kind;
    if (item.custom) return refused("Unknown input type: custom_tool_call");
    switch (item.kind) {
      case Kind::message:
        return add_message(item);
      case Kind::call:
        names_.insert_or_assign(item.call_id, item.name);
        put("assistant", "commentary", {item.arguments});
        messages_.back().recipient = "functions." + std::string(item.name);
        messages_.back().content_type = "json";
        messages_.back().calls = true;
        return {};
      case Kind::call_output:
        return add_output(item);
      case Kind::reasoning:
        return add_reasoning(item);
    }
    return {};
  }

  std::vector<harmony::Message> take() { return std::move(messages_); }

 private:
  void put(std::string author, std::string_view channel, std::vector<std::string_view> texts) {
    harmony::Message& message = messages_.emplace_back();
    message.author = std::move(author);
    message.channel = channel;
    message.texts = std::move(texts);
  }

  Outcome<void> add_message(ResponseItem const& item) {
    if (item.role == "system" || item.role == "developer") {
      auto const text = harmony::flat_text(item.content, arena_);
      if (!text) return text.error();
      if (text->is_string() && !text->text().empty()) {
        messages_.push_back(harmony::developer_message(text->text(), {}, arena_));
      }
      return {};
    }
    std::vector<std::string_view> texts;
    if (item.content.is_string()) texts.push_back(item.content.text());
    if (item.content.is_sequence()) {
      for (Value const& part : item.content.items()) {
        Value const text = part.get("text");
        texts.push_back(text.is_string() ? text.text() : std::string_view());
      }
    }
    put(std::string(item.role), item.role == "assistant" ? "final" : "", std::move(texts));
    return {};
  }

  Outcome<void> add_output(ResponseItem const& item) {
    auto const found = names_.find(item.call_id);
    if (found == names_.end()) return refused("No call message found for " + std::string(item.call_id));
    if (!item.content.is_string()) return cannot_tell(Unknown::input_item, "an output of parts");
    put("functions." + std::string(found->second), "commentary", {item.content.text()});
    messages_.back().recipient = "assistant";
    return {};
  }

  Outcome<void> add_reasoning(ResponseItem const& item) {
    if (!item.content.is_sequence() || item.content.items().empty()) return {};
    std::string text;
    for (Value const& part : item.content.items()) {
      text.append(&part == item.content.items().data() ? "" : "\n").append(part.get("text").text());
    }
    put("assistant", "analysis", {arena_.copy(text)});
    return {};
  }

  jinja::Arena& arena_;
  std::unordered_map<std::string_view, std::string_view> names_;
  std::vector<harmony::Message> messages_;
};

bool gives_instructions(ResponseItem const& item) {
  return item.kind == ResponseItem::Kind::message && (item.role == "system" || item.role == "developer");
}

Outcome<Plan> harmony_plan(ResponseRequest const& request, PlanContext const& context) {
  if (request.other_tools) return cannot_tell(Unknown::builtin_tools);
  std::span<ResponseItem const> rest = request.items;
  Value instructions = request.instructions;
  if (is_null(instructions) && !rest.empty() && gives_instructions(rest.front())) {
    auto const text = harmony::flat_text(rest.front().content, context.arena);
    if (!text) return text.error();
    instructions = *text;
    rest = rest.subspan(1);
  }
  harmony::Preamble from;
  if (instructions.is_string()) from.instructions = instructions.text();
  from.tools = request.tools;
  from.reasoning_effort = request.effort;
  from.start_date = harmony_date(context);
  auto messages = harmony::preamble(from, context.arena);
  if (!messages) return messages.error();
  HarmonyItems converter(context.arena);
  for (ResponseItem const& item : rest) {
    auto const added = converter.add(item);
    if (!added) return added.error();
  }
  auto made = converter.take();
  std::ranges::move(made, std::back_inserter(*messages));
  harmony::drop_old_analysis(*messages);
  Plan plan;
  plan.prompts.emplace_back(std::move(*messages));
  return plan;
}

}  // namespace

Outcome<Plan> plan_response(Value const& body, PlanContext const& context) {
  auto const request = read_request(body, context.arena);
  if (!request) return request.error();
  if (context.model.renderer == Renderer::harmony) {
    auto plan = harmony_plan(*request, context);
    if (plan) plan->truncation = truncation_of(body);
    return plan;
  }
  auto const chat = chat_request(*request, body, context.arena);
  if (!chat) return chat.error();
  auto plan = plan_chat_request(*chat, context);
  if (plan) plan->truncation = truncation_of(body);
  return plan;
}

}  // namespace kvgate::text
