#include "text/chat/harmony/typescript.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "text/chat/harmony/compact_json.hpp"

namespace kvgate::text::harmony {
namespace {

std::optional<std::string_view> text_field(Value const& schema, std::string_view key) {
  Value const value = schema.get(key);
  if (!value.is_string()) return std::nullopt;
  return value.text();
}

void append_comment(std::string& out, std::string_view indent, std::string_view comment) {
  out.append(indent).append("// ").append(comment).append("\n");
}

bool has_enum(Value const& schema) {
  Value const values = schema.get("enum");
  return values.is_sequence() && !values.items().empty();
}

/// `default: ...` of a schema that has a default: text in quotes, unless it is one of an enumeration.
void append_default(std::string& out, Value const& schema) {
  Value const value = schema.get("default");
  out.append("default: ");
  if (!value.is_string()) {
    append_compact_json(out, value);
    return;
  }
  std::string_view const quote = has_enum(schema) ? "" : "\"";
  out.append(quote).append(value.text()).append(quote);
}

bool has_default(Value const& schema) {
  return !schema.get("default").is_undefined();
}

std::string type_or_null(Value const& schema, std::string_view indent) {
  std::string type = typescript_type(schema, indent);
  Value const nullable = schema.get("nullable");
  bool const may_be_null = nullable.is(jinja::Kind::boolean) && nullable.boolean();
  if (may_be_null && type.find("null") == std::string::npos) type.append(" | null");
  return type;
}

/// One alternative of a oneOf, with what is said of it behind.
void append_variant(std::string& out, Value const& variant, std::string_view indent, bool describe) {
  out.append(indent).append(" | ").append(type_or_null(variant, std::string(indent) + "   "));
  auto const description = describe ? text_field(variant, "description") : std::nullopt;
  if (description) out.append(" // ").append(*description);
  if (!has_default(variant)) return;
  out.append(description ? " " : " // ");
  append_default(out, variant);
}

std::string one_of_type(Value const& variants, std::string_view indent) {
  std::string out;
  for (Value const& variant : variants.items()) {
    out.append("\n");
    append_variant(out, variant, indent, true);
  }
  return out;
}

/// A type given as a list; nullopt: none of them is a text.
std::optional<std::string> listed_type(Value const& types) {
  std::optional<std::string> out;
  for (Value const& type : types.items()) {
    if (!type.is_string()) continue;
    out = out ? *out + " | " : std::string();
    out->append(type.text() == "integer" ? "number" : type.text());
  }
  return out;
}

std::string string_type(Value const& schema) {
  Value const values = schema.get("enum");
  std::string out;
  if (values.is_sequence()) {
    for (Value const& value : values.items()) {
      if (!value.is_string()) continue;
      if (!out.empty()) out.append(" | ");
      out.append("\"").append(value.text()).append("\"");
    }
  }
  return out.empty() ? "string" : out;
}

std::string array_type(Value const& schema, std::string_view indent) {
  Value const items = schema.get("items");
  return items.is_undefined() ? "Array<any>" : typescript_type(items, indent) + "[]";
}

/// A property that is one of several types: what is said of it before, one line for each type.
void append_one_of_property(std::string& out, std::string_view name, Value const& schema, std::string_view indent) {
  auto const description = text_field(schema, "description");
  Value const variants = schema.get("oneOf");
  auto const first = variants.items().empty() ? std::nullopt : text_field(variants.items()[0], "description");
  if (description && first != description) append_comment(out, indent, *description);
  if (has_default(schema)) {
    out.append(indent).append("// ");
    append_default(out, schema);
    out.append("\n");
  }
  out.append(indent).append(name).append(":\n");
  for (Value const& variant : variants.items()) {
    bool const is_first = &variant == variants.items().data();
    bool const repeats = is_first ? description.has_value() : text_field(variant, "description") == description;
    append_variant(out, variant, indent, !repeats);
    out.append("\n");
  }
  out.append(indent).append(",\n");
}

void append_examples(std::string& out, Value const& schema, std::string_view indent) {
  Value const examples = schema.get("examples");
  if (!examples.is_sequence() || examples.items().empty()) return;
  append_comment(out, indent, "Examples:");
  for (Value const& example : examples.items()) {
    if (example.is_string()) append_comment(out, indent, "- \"" + std::string(example.text()) + "\"");
  }
}

void append_property(std::string& out, std::string_view name, Value const& schema, std::string_view indent) {
  if (auto const title = text_field(schema, "title")) {
    append_comment(out, indent, *title);
    out.append(indent).append("//\n");
  }
  bool const has_variants = !schema.get("oneOf").is_undefined();
  auto const description = has_variants ? std::nullopt : text_field(schema, "description");
  if (description) append_comment(out, indent, *description);
  append_examples(out, schema, indent);
  if (schema.get("oneOf").is_sequence()) {
    append_one_of_property(out, name, schema, indent);
    return;
  }
  out.append(indent).append(name).append(": ").append(type_or_null(schema, std::string(indent) + "    ")).append(",");
  if (has_default(schema)) {
    out.append(" // ");
    append_default(out, schema);
  }
  out.append("\n");
}

bool is_required(Value const& schema, Value const& name) {
  Value const required = schema.get("required");
  if (!required.is_sequence()) return false;
  return std::ranges::any_of(required.items(), [&](Value const& item) { return is_text(item, name.text()); });
}

std::string object_type(Value const& schema, std::string_view indent) {
  std::string out;
  if (auto const description = text_field(schema, "description")) append_comment(out, indent, *description);
  out.append("{\n");
  Value const properties = schema.get("properties");
  if (properties.is_dict()) {
    for (auto const& [name, property] : properties.dict().entries()) {
      std::string const key = std::string(name.text()) + (is_required(schema, name) ? "" : "?");
      append_property(out, key, property, indent);
    }
  }
  return out.append(indent).append("}");
}

std::size_t indentation(Value const& value, std::size_t depth) {
  std::size_t total = depth;
  if (value.is_sequence()) {
    for (Value const& item : value.items()) total += indentation(item, depth + 1);
  } else if (value.is_dict()) {
    for (auto const& entry : value.dict().entries()) total += indentation(entry.value, depth + 1);
  }
  return total;
}

void append_lines(std::string& out, std::string_view text) {
  while (!text.empty()) {
    std::size_t const end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    bool const broken = end < text.size();
    text.remove_prefix(broken ? end + 1 : end);
    if (broken && line.ends_with('\r')) line.remove_suffix(1);
    append_comment(out, "", line);
  }
}

}  // namespace

std::string typescript_type(Value const& schema, std::string_view indent) {
  Value const variants = schema.get("oneOf");
  if (variants.is_sequence()) return one_of_type(variants, indent);
  Value const type = schema.get("type");
  if (type.is_sequence()) return listed_type(type).value_or("any");
  if (is_text(type, "object")) return object_type(schema, indent);
  if (is_text(type, "string")) return string_type(schema);
  if (is_text(type, "number") || is_text(type, "integer")) return "number";
  if (is_text(type, "boolean")) return "boolean";
  if (is_text(type, "array")) return array_type(schema, indent);
  return "any";
}

std::size_t indentation_of(std::span<FunctionTool const> tools) {
  std::size_t total = 0;
  for (FunctionTool const& tool : tools) total += indentation(tool.parameters, 0);
  return total;
}

std::string tools_section(std::span<FunctionTool const> tools) {
  std::string out = "# Tools\n\n## functions\n\nnamespace functions {\n\n";
  for (FunctionTool const& tool : tools) {
    append_lines(out, tool.description);
    out.append("type ").append(tool.name);
    if (is_null(tool.parameters)) {
      out.append(" = () => any;\n\n");
    } else {
      out.append(" = (_: ").append(typescript_type(tool.parameters, "")).append(") => any;\n\n");
    }
  }
  return out.append("} // namespace functions");
}

}  // namespace kvgate::text::harmony
