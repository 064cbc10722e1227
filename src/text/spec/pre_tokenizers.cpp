#include "base/utf8.hpp"
#include "text/spec/components.hpp"

namespace kvgate::text::spec {
namespace {

SplitBehavior behavior_named(std::string_view name, std::string_view component) {
  if (name == "Removed") return SplitBehavior::removed;
  if (name == "Isolated") return SplitBehavior::isolated;
  if (name == "MergedWithPrevious") return SplitBehavior::merged_with_previous;
  if (name == "MergedWithNext") return SplitBehavior::merged_with_next;
  if (name == "Contiguous") return SplitBehavior::contiguous;
  throw SpecError{std::string(component) + ": behavior " + in_quotes(name) + " is not supported"};
}

char32_t get_char(object const& in, std::string_view name, std::string_view component) {
  std::string const text = get_string(in, name, component);
  Utf8Step const step = utf8_step(text);
  if (step.length == 0 || step.length != text.size()) {
    throw SpecError{std::string(component) + ": \"" + std::string(name) + "\" must be one character"};
  }
  return step.code_point;
}

PrependScheme read_scheme(object const& in) {
  element value;
  std::string const name = find(in, "prepend_scheme", value) ? get_string(in, "prepend_scheme", "Metaspace") : "always";
  if (name == "never") return PrependScheme::never;
  // An older file says only this.
  bool const add_prefix_space = get_bool(in, "add_prefix_space", "Metaspace", true);
  bool const says_scheme = find(in, "prepend_scheme", value);
  if (!add_prefix_space) {
    throw SpecError{std::string("Metaspace: \"add_prefix_space\" false needs \"prepend_scheme\" never, it is ") +
                    (says_scheme ? name : "absent")};
  }
  if (name == "always") return PrependScheme::always;
  if (name == "first") return PrependScheme::first;
  throw SpecError{"Metaspace: prepend_scheme " + in_quotes(name) + " is not supported"};
}

MetaspacePreTokenizer read_metaspace(object const& in) {
  return {get_char(in, "replacement", "Metaspace"), read_scheme(in), get_bool(in, "split", "Metaspace", true)};
}

ByteLevelPreTokenizer read_byte_level(object const& in) {
  get_bool(in, "trim_offsets", "ByteLevel");
  return {get_bool(in, "add_prefix_space", "ByteLevel"), get_bool(in, "use_regex", "ByteLevel", true)};
}

SplitPreTokenizer read_split(object const& in) {
  return {read_pattern(in, "Split"), behavior_named(get_string(in, "behavior", "Split"), "Split"),
          get_bool(in, "invert", "Split")};
}

PunctuationPreTokenizer read_punctuation(object const& in) {
  element value;
  if (!find(in, "behavior", value)) return {};
  return {behavior_named(get_string(in, "behavior", "Punctuation"), "Punctuation")};
}

FixedLengthPreTokenizer read_fixed_length(object const& in) {
  element value;
  if (!find(in, "length", value)) return {};
  FixedLengthPreTokenizer const fixed{get_unsigned(value, "length", "FixedLength")};
  if (fixed.length == 0) throw SpecError{"FixedLength: \"length\" must be at least 1"};
  return fixed;
}

PreTokenizerSpec read_one(std::string_view type, object const& in) {
  if (type == "ByteLevel") return read_byte_level(in);
  if (type == "Split") return read_split(in);
  if (type == "Metaspace") return read_metaspace(in);
  if (type == "Digits") return DigitsPreTokenizer{get_bool(in, "individual_digits", "Digits")};
  if (type == "Punctuation") return read_punctuation(in);
  if (type == "BertPreTokenizer") return BertPreTokenizer{};
  if (type == "Whitespace") return WhitespacePreTokenizer{};
  if (type == "WhitespaceSplit") return WhitespaceSplit{};
  if (type == "UnicodeScripts") return UnicodeScripts{};
  if (type == "CharDelimiterSplit") return CharDelimiterSplit{get_char(in, "delimiter", "CharDelimiterSplit")};
  if (type == "FixedLength") return read_fixed_length(in);
  throw SpecError{"pre_tokenizer: type " + in_quotes(type) + " is not supported"};
}

void read_nested(element const& value, int depth, std::vector<PreTokenizerSpec>& out) {
  object const in = as_object(value, "pre_tokenizer");
  std::string_view const type = component_type(in, "pre_tokenizer", depth);
  if (type != "Sequence") {
    out.push_back(read_one(type, in));
    return;
  }
  for (element const& member : as_array(required(in, "pretokenizers", "pre_tokenizer Sequence"), "pretokenizers")) {
    read_nested(member, depth + 1, out);
  }
}

}  // namespace

void read_pre_tokenizer(element const& value, std::vector<PreTokenizerSpec>& out) {
  if (!value.is_null()) read_nested(value, 0, out);
}

}  // namespace kvgate::text::spec
