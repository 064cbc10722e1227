#include "text/chat/harmony/chat.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "text/chat/harmony/typescript.hpp"

namespace kvgate::text::harmony {
namespace {

using jinja::Arena;
using ToolNames = std::unordered_map<std::string_view, std::string_view>;

constexpr std::string_view kIdentity = "You are ChatGPT, a large language model trained by OpenAI.";
constexpr std::size_t kMostIndentation = 4 << 20;
constexpr std::array<std::string_view, 3> kEfforts{"high", "medium", "low"};
constexpr std::array<std::string_view, 5> kRoles{"user", "assistant", "system", "developer", "tool"};

std::string system_text(Preamble const& from, std::string_view effort, bool has_tools) {
  std::string out(kIdentity);
  out.append("\nKnowledge cutoff: 2024-06\nCurrent date: ").append(from.start_date);
  out.append("\n\nReasoning: ").append(effort);
  out.append("\n\n# Valid channels: analysis, commentary, final. Channel must be included for every message.");
  if (has_tools) out.append("\nCalls to these tools must go to the commentary channel: 'functions'.");
  return out;
}

std::vector<FunctionTool> function_tools(Value const& tools) {
  std::vector<FunctionTool> out;
  if (!tools.is_sequence()) return out;
  for (Value const& tool : tools.items()) {
    Value const function = tool.get("function");
    Value const description = function.get("description");
    out.push_back({function.get("name").text(), description.is_string() ? description.text() : std::string_view(),
                   function.get("parameters")});
  }
  return out;
}

Message plain(std::string_view author, std::string_view channel, std::string_view text) {
  Message out;
  out.author = author;
  out.channel = channel;
  out.texts.push_back(text);
  return out;
}

Message call_message(Value const& call) {
  Value const function = call.get("function");
  Value const arguments = function.get("arguments");
  Message out = plain("assistant", "commentary", arguments.is_string() ? arguments.text() : std::string_view());
  out.recipient = "functions." + std::string(function.get("name").is_string() ? function.get("name").text() : "");
  out.content_type = "json";
  out.calls = true;
  return out;
}

std::string_view text_or_empty(Value const& value) {
  return value.is_string() ? value.text() : std::string_view();
}

Outcome<Value> flat_content(kvgate::text::Message const& message, Arena& arena) {
  return message.lazy_content ? Outcome<Value>(Value()) : flat_text(message.content, arena);
}

/// Adds the messages that one chat message becomes.
class Converter {
 public:
  Converter(ToolNames const& names, Arena& arena) : names_(names), arena_(arena) {}

  Outcome<void> add(kvgate::text::Message const& message) {
    if (std::ranges::find(kRoles, message.role) == kRoles.end()) return refused("the role does not exist in Harmony");
    if (message.role == "assistant") return add_assistant(message);
    if (message.role == "tool") return add_tool_result(message);
    auto texts = part_texts(message);
    if (!texts) return texts.error();
    if (message.role == "system" || message.role == "developer") return add_instructions(message);
    Message out = plain(message.role, "", "");
    out.texts = std::move(*texts);
    messages_.push_back(std::move(out));
    return {};
  }

  std::vector<Message> take() { return std::move(messages_); }

 private:
  /// The text of every part, "" for a part without one.
  static Outcome<std::vector<std::string_view>> part_texts(kvgate::text::Message const& message) {
    Value const content = message.content;
    if (message.broken_content) return refused("a message has a content part of the wrong form");
    if (is_null(content)) return std::vector<std::string_view>{""};
    if (content.is_string()) return std::vector<std::string_view>{content.text()};
    std::vector<std::string_view> out;
    for (Value const& part : content.items()) {
      Value const text = part.get("text");
      if (!part.is_dict() || !(text.is_undefined() || text.is_string())) return refused("a content part has no text");
      out.push_back(text_or_empty(text));
    }
    if (out.empty()) out.push_back("");  // `content or ""`
    return out;
  }

  Outcome<void> add_analysis(Value const& reasoning) {
    if (!truthy(reasoning)) return {};
    if (!reasoning.is_string()) return refused("reasoning must be a text");
    messages_.push_back(plain("assistant", "analysis", reasoning.text()));
    return {};
  }

  Outcome<void> add_assistant(kvgate::text::Message const& message) {
    if (message.tool_calls.is_sequence() && !message.tool_calls.items().empty()) return add_calls(message);
    auto const added = add_analysis(message.reasoning);
    if (!added) return added;
    auto texts = part_texts(message);
    if (!texts) return texts.error();
    if (texts->front().empty()) return {};
    Message out = plain("assistant", "final", "");
    out.texts = std::move(*texts);
    messages_.push_back(std::move(out));
    return {};
  }

  Outcome<void> add_calls(kvgate::text::Message const& message) {
    auto const content = flat_content(message, arena_);
    if (!content) return content.error();
    if (!text_or_empty(*content).empty()) messages_.push_back(plain("assistant", "commentary", content->text()));
    auto const added = add_analysis(message.reasoning);
    if (!added) return added;
    for (Value const& call : message.tool_calls.items()) messages_.push_back(call_message(call));
    return {};
  }

  Outcome<void> add_tool_result(kvgate::text::Message const& message) {
    auto const content = flat_content(message, arena_);
    if (!content) return content.error();
    auto const found = names_.find(text_or_empty(message.tool_call_id));
    Message out = plain("functions.", "commentary", text_or_empty(*content));
    if (found != names_.end()) out.author += found->second;
    out.recipient = "assistant";
    messages_.push_back(std::move(out));
    return {};
  }

  Outcome<void> add_instructions(kvgate::text::Message const& message) {
    auto const text = flat_content(message, arena_);
    if (!text) return text.error();
    if (text->is_string()) messages_.push_back(developer_message(text->text(), {}, arena_));
    return {};
  }

  ToolNames const& names_;
  Arena& arena_;
  std::vector<Message> messages_;
};

Outcome<ToolNames> tool_names(std::span<kvgate::text::Message const> messages) {
  ToolNames names;
  for (auto const& message : messages) {
    if (message.tool_calls.is_none() && message.role != "assistant") return refused("tool_calls is none");
    if (!message.tool_calls.is_sequence()) continue;
    for (Value const& call : message.tool_calls.items()) {
      if (!call.is_dict()) return refused("tool_calls entries must be objects");
      if (call.get("id").is_string()) {
        names.insert_or_assign(call.get("id").text(), text_or_empty(call.get("function").get("name")));
      }
    }
  }
  return names;
}

}  // namespace

Outcome<Value> flat_text(Value const& content, Arena& arena) {
  if (is_null(content)) return Value();
  if (content.is_string()) return content;
  std::string out;
  bool any = false;
  for (Value const& part : content.items()) {
    Value const text = part.is_string() ? part : part.get("text");
    if (is_null(text)) continue;
    if (!text.is_string()) return refused("a content part's text is none");
    out.append(text.text());
    any = true;
  }
  return any ? Value::string(arena.copy(out)) : Value();
}

Message developer_message(std::optional<std::string_view> instructions, std::string_view tools, Arena& arena) {
  std::string text;
  if (instructions) text.append("# Instructions\n\n").append(*instructions);
  if (!tools.empty()) text.append(text.empty() ? "" : "\n\n").append(tools);
  return plain("developer", "", arena.copy(text));
}

Outcome<std::vector<Message>> preamble(Preamble const& from, Arena& arena) {
  std::string_view effort = "medium";
  if (!is_null(from.reasoning_effort)) {
    effort = text_or_empty(from.reasoning_effort);
    if (std::ranges::find(kEfforts, effort) == kEfforts.end()) {
      return refused("reasoning_effort='" + std::string(effort) + "' is not supported by Harmony.");
    }
  }
  auto const tools = function_tools(from.tools);
  if (indentation_of(tools) > kMostIndentation) return cannot_tell(Unknown::size, "tools are nested too deep");
  std::vector<Message> out;
  out.push_back(plain("system", "", arena.copy(system_text(from, effort, !tools.empty()))));
  bool const instructed = from.instructions && !from.instructions->empty();
  if (!instructed && tools.empty()) return out;
  std::string const section = tools.empty() ? std::string() : tools_section(tools);
  out.push_back(developer_message(from.instructions, section, arena));
  return out;
}

void drop_old_analysis(std::vector<Message>& messages) {
  auto const is_final = [](Message const& m) { return m.author == "assistant" && m.channel == "final"; };
  auto const last = std::find_if(messages.rbegin(), messages.rend(), is_final).base();
  if (last == messages.begin()) return;
  auto const kept =
      std::remove_if(messages.begin(), last - 1, [](Message const& m) { return m.channel == "analysis"; });
  messages.erase(kept, last - 1);
}

Outcome<std::vector<Message>> chat_messages(ChatRequest const& request, bool show_tools, std::string start_date,
                                            Arena& arena) {
  std::span<kvgate::text::Message const> rest = request.messages;
  Preamble from;
  from.start_date = std::move(start_date);
  from.reasoning_effort = request.reasoning_effort;
  if (show_tools) from.tools = request.tools;
  if (!rest.empty() && (rest.front().role == "system" || rest.front().role == "developer")) {
    auto const instructions = flat_content(rest.front(), arena);
    if (!instructions) return instructions.error();
    if (instructions->is_string()) from.instructions = instructions->text();
    rest = rest.subspan(1);
  }
  auto out = preamble(from, arena);
  if (!out) return out;
  auto const names = tool_names(rest);
  if (!names) return names.error();
  Converter converter(*names, arena);
  for (auto const& message : rest) {
    auto const added = converter.add(message);
    if (!added) return added.error();
  }
  std::ranges::move(converter.take(), std::back_inserter(*out));
  drop_old_analysis(*out);
  return out;
}

}  // namespace kvgate::text::harmony
