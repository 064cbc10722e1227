#include "text/chat/continue_message.hpp"

#include <algorithm>
#include <optional>

#include "text/jinja/code_points.hpp"

namespace kvgate::text {
namespace {

using jinja::Arena;
using jinja::Dict;

constexpr std::string_view kTag = "CONTINUE_FINAL_MESSAGE_TAG ";
constexpr std::string_view kTrimmedTag = kTag.substr(0, kTag.size() - 1);

Value tagged_text(Value const& text, Arena& arena) {
  return Value::string(arena.copy(std::string(text.text()).append(kTag)));
}

Value with_entry(Value const& dict, std::string_view key, Value const& value, Arena& arena) {
  Dict* out = in_order({}, dict, arena);
  out->set(arena, key, value);
  return Value::dict(out);
}

Value with_last(Value const& list, std::size_t at, Value const& item, Arena& arena) {
  Value* out = arena.allocate_array<Value>(list.items().size());
  std::ranges::copy(list.items(), out);
  out[at] = item;
  return Value::list({out, list.items().size()});
}

/// The last part that has a text; nullopt: none has.
std::optional<std::size_t> last_text_part(Value const& parts) {
  for (std::size_t i = parts.items().size(); i-- > 0;) {
    if (!parts.items()[i].get("text").is_undefined()) return i;
  }
  return std::nullopt;
}

}  // namespace

Outcome<Tagged> with_tag(Value const& messages, std::string_view source, jinja::Arena& arena) {
  std::size_t const last = messages.items().size() - 1;
  Value const message = messages.items()[last];
  Value const content = message.get("content");
  if (source.find("content") == source.npos) {
    return refused(
        "continue_final_message is set to \"content\" but this is not an accepted field in the chat_template");
  }
  Value text = content;
  Value tagged;
  if (content.is_sequence()) {
    auto const part = last_text_part(content);
    if (!part) {
      return refused("continue_final_message is set but we could not find any text to continue in the final message!");
    }
    text = content.items()[*part].get("text");
    if (!text.is_string()) return refused("the final message's text is none");
    tagged =
        with_last(content, *part, with_entry(content.items()[*part], "text", tagged_text(text, arena), arena), arena);
  } else {
    tagged = tagged_text(text, arena);
  }
  return Tagged{with_last(messages, last, with_entry(message, "content", tagged, arena), arena), text.text()};
}

Outcome<void> cut_at_tag(std::string& rendered, std::string_view final_text) {
  std::size_t const at = rendered.rfind(kTrimmedTag);
  if (at == std::string::npos || rendered.find(jinja::strip(final_text)) == std::string::npos) {
    return refused(
        "continue_final_message is set but the final message does not appear in the chat after applying the chat "
        "template!");
  }
  bool const kept_space = std::string_view(rendered).substr(at).starts_with(kTag);
  rendered.resize(at);
  if (!kept_space) rendered.resize(jinja::strip_right(rendered).size());
  return {};
}

}  // namespace kvgate::text
