// Values and outcomes as text, for tables of tests.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "text/chat/plan.hpp"
#include "text/chat/python_json.hpp"
#include "text/jinja/json_reader.hpp"

namespace kvgate::text::test {

/// Keeps what values refer to.
class Texts {
 public:
  Value parsed(std::string text) {
    auto const value = jinja::parse_json(kept_.emplace_back(std::move(text)), arena);
    return value ? *value : Value();
  }

  jinja::Arena arena;

 private:
  std::deque<std::string> kept_;
};

inline std::string shown(Value const& value) {
  if (value.is_undefined()) return "undefined";
  auto const json = python_json(value);
  return json ? *json : json.error().message;
}

inline std::string shown(Stop const& stop) {
  return stop.unknown ? "unknown: " + std::string(to_string(*stop.unknown)) : "refused";
}

inline std::string shown(Outcome<Value> const& outcome) {
  return outcome ? shown(*outcome) : shown(outcome.error());
}

inline std::string shown(Prompt const& prompt) {
  if (auto const* text = std::get_if<TextPrompt>(&prompt)) return text->text + (text->add_special_tokens ? "+" : "");
  if (auto const* pair = std::get_if<PairPrompt>(&prompt)) return pair->query + "|" + pair->document;
  if (auto const* ids = std::get_if<IdsPrompt>(&prompt)) {
    std::string out = "#";
    for (std::uint32_t id : *ids) out += std::to_string(id) + " ";
    return out;
  }
  return "harmony";
}

/// Prompts, one after the other, each text followed by + if special tokens are added.
inline std::string shown(Outcome<Plan> const& plan) {
  if (!plan) return shown(plan.error());
  std::string out;
  for (Prompt const& prompt : plan->prompts) out += (out.empty() ? "" : " ; ") + shown(prompt);
  return out;
}

}  // namespace kvgate::text::test
