#include "text/spec/components.hpp"

namespace kvgate::text::spec {
namespace {

constexpr int kDeepest = 32;

AddedTokenSpec read_added_token(element const& value) {
  constexpr std::string_view kName = "added_tokens";
  object const in = as_object(value, "added_tokens: each member");
  AddedTokenSpec token;
  token.content = get_string(in, "content", kName);
  token.id = get_id(required(in, "id", kName), "id", kName);
  token.single_word = get_bool(in, "single_word", kName);
  token.lstrip = get_bool(in, "lstrip", kName);
  token.rstrip = get_bool(in, "rstrip", kName);
  token.normalized = get_bool(in, "normalized", kName);
  token.special = get_bool(in, "special", kName);
  return token;
}

}  // namespace

std::string_view component_type(object const& component, std::string_view kind, int depth) {
  if (depth > kDeepest) throw SpecError{std::string(kind) + ": sequences are nested too deep"};
  std::string_view type;
  if (required(component, "type", kind).get(type)) throw SpecError{std::string(kind) + ": \"type\" must be a string"};
  return type;
}

PatternSpec read_pattern(object const& component, std::string_view name) {
  object const in = as_object(required(component, "pattern", name), std::string(name) + ": \"pattern\"");
  element value;
  PatternSpec pattern;
  pattern.is_regex = find(in, "Regex", value);
  if (pattern.is_regex == find(in, "String", value)) {
    throw SpecError{std::string(name) + ": \"pattern\" must be {\"String\": ...} or {\"Regex\": ...}"};
  }
  pattern.text = get_string(in, pattern.is_regex ? "Regex" : "String", name);
  return pattern;
}

std::vector<AddedTokenSpec> read_added_tokens(element const& value) {
  std::vector<AddedTokenSpec> tokens;
  for (element const& token : as_array(value, "added_tokens")) tokens.push_back(read_added_token(token));
  return tokens;
}

}  // namespace kvgate::text::spec
