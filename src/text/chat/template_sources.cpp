#include "text/chat/template_sources.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "text/jinja/json_reader.hpp"

namespace kvgate::text {
namespace {

namespace fs = std::filesystem;

using Named = std::map<std::string, std::string, std::less<>>;

std::optional<std::string> named(Named const& templates, std::string_view name) {
  auto const found = templates.find(name);
  if (found == templates.end()) return std::nullopt;
  return found->second;
}

Result<void> read_into(fs::path const& file, std::string name, Named& out) {
  auto content = read_optional(file);
  if (!content) return content.error();
  if (*content) out.insert_or_assign(std::move(name), std::move(**content));
  return {};
}

/// Templates in files of their own.
Result<Named> from_files(fs::path const& folder) {
  Named out;
  auto read = read_into(folder / "chat_template.jinja", "default", out);
  std::error_code ignored;
  for (fs::directory_iterator it(folder / "additional_chat_templates", ignored), end; !ignored && it != end;
       it.increment(ignored)) {
    if (read && it->path().extension() == ".jinja") read = read_into(it->path(), it->path().stem().string(), out);
  }
  if (!read) return read.error();
  return out;
}

/// The text, or the texts with names, in tokenizer_config.json.
Named from_config(Value const& value) {
  Named out;
  if (value.is_string()) out.emplace("default", value.text());
  if (value.is_dict()) {
    for (auto const& [name, text] : value.dict().entries()) {
      if (text.is_string()) out.insert_or_assign(std::string(name.text()), std::string(text.text()));
    }
  }
  for (Value const& item : value.is_sequence() ? value.items() : std::span<Value const>()) {
    Value const name = item.get("name");
    Value const text = item.get("template");
    if (name.is_string() && text.is_string()) out.insert_or_assign(std::string(name.text()), std::string(text.text()));
  }
  return out;
}

/// What a processor brings for requests without tools; nullopt: nothing.
Result<std::optional<std::string>> from_processor(fs::path const& folder) {
  std::error_code ignored;
  bool const processor =
      fs::exists(folder / "preprocessor_config.json", ignored) || fs::exists(folder / "processor_config.json", ignored);
  if (!processor) return std::optional<std::string>();
  auto const content = read_optional(folder / "chat_template.json");
  if (!content || !*content) return content;
  jinja::Arena arena;
  auto const parsed = jinja::parse_json(**content, arena);
  if (!parsed) return Error(ErrorKind::bad_request, "chat_template.json: " + parsed.error().message);
  Value const text = parsed->get("chat_template");
  if (!text.is_string()) return std::optional<std::string>();
  return std::optional<std::string>(text.text());
}

}  // namespace

Result<std::optional<std::string>> read_optional(fs::path const& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::optional<std::string>();
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return Error(ErrorKind::bad_request, file.string() + " cannot be read");
  return std::optional<std::string>(std::move(text).str());
}

Result<TemplateSources> find_templates(fs::path const& folder, Value const& tokenizer_config,
                                       std::string const& given) {
  auto templates = from_files(folder);
  if (!templates) return templates.error();
  bool const own_file = templates->contains("default");
  if (templates->empty()) *templates = from_config(tokenizer_config.get("chat_template"));
  if (!given.empty()) return TemplateSources{named(*templates, given).value_or(given), std::nullopt};
  TemplateSources out{named(*templates, "default"), named(*templates, "tool_use")};
  if (own_file) return out;
  auto processor = from_processor(folder);
  if (!processor) return processor.error();
  if (!*processor) return out;
  if (!out.with_tools) out.with_tools = out.plain;
  out.plain = std::move(*processor);
  return out;
}

}  // namespace kvgate::text
