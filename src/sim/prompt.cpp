#include "sim/prompt.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kvgate::sim {
namespace {

/// A string, or the `text` of every part of a list; parts of other kinds (images, tool results) count as their JSON.
std::string content_text(Json const* content) {
  if (content == nullptr) return {};
  if (content->is_string()) return content->get<std::string>();
  std::string text;
  for (auto const& part : *content) text += string_or(part, "text", member(part, "text") == nullptr ? dump(part) : "");
  return text;
}

void add_turn(std::string& text, std::string const& role, std::string const& content) {
  text.append("<|im_start|>").append(role).append("\n").append(content).append("<|im_end|>\n");
}

void add_turns(std::string& text, Json const* turns) {
  if (turns == nullptr) return;
  if (turns->is_string()) return add_turn(text, "user", turns->get<std::string>());
  for (auto const& turn : *turns)
    add_turn(text, string_or(turn, "role", "user"), content_text(member(turn, "content")));
}

void add_system(std::string& text, Json const& body, char const* key) {
  if (auto const* tools = member(body, "tools")) add_turn(text, "tools", dump(*tools));
  if (auto const* system = member(body, key)) add_turn(text, "system", content_text(system));
}

std::string with_answer_opened(std::string text) {
  return text.append("<|im_start|>assistant\n");
}

void add_leaf(Tokens& tokens, Json const& value) {
  if (value.is_number_unsigned()) tokens.push_back(value.get<std::uint32_t>());
  if (!value.is_string()) return;
  auto const part = tokenize(value.get<std::string>());
  tokens.insert(tokens.end(), part.begin(), part.end());
}

}  // namespace

std::string chat_text(Json const& body) {
  std::string text;
  add_system(text, body, "system");
  add_turns(text, member(body, "messages"));
  return with_answer_opened(std::move(text));
}

std::string responses_text(Json const& body) {
  std::string text;
  add_system(text, body, "instructions");
  add_turns(text, member(body, "input"));
  return with_answer_opened(std::move(text));
}

Tokens prompt_tokens(Json const& value, std::uint32_t& count) {
  Tokens tokens;
  count = 1;
  if (!value.is_array()) {
    add_leaf(tokens, value);
    return tokens;
  }
  if (!value.empty() && !value.front().is_number()) count = static_cast<std::uint32_t>(value.size());
  for (auto const& item : value) {
    add_leaf(tokens, item);
    if (!item.is_array()) continue;
    for (auto const& id : item) add_leaf(tokens, id);
  }
  return tokens;
}

}  // namespace kvgate::sim
