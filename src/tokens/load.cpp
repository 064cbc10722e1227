#include "tokens/load.hpp"

#include <filesystem>

#include "text/chat/model_assets.hpp"
#include "text/chat/template_sources.hpp"

namespace kvgate::tokens {
namespace {

std::optional<jinja::ContentFormat> format_of(std::string const& name) {
  if (name == "auto") return std::nullopt;
  return name == "openai" ? jinja::ContentFormat::openai : jinja::ContentFormat::string;
}

Result<std::string> template_in(std::string const& file) {
  if (file.empty()) return std::string();
  auto text = text::read_optional(file);
  if (!text) return text.error();
  if (!*text) return Error(ErrorKind::bad_request, file + ": there is no such file");
  return std::move(**text);
}

}  // namespace

Loaded load_assets(std::string const& path, ModelOptions const& options) {
  text::EngineOptions engine;
  auto given = template_in(options.chat_template);
  if (!given) return {nullptr, given.error().message};
  engine.chat_template = std::move(*given);
  engine.content_format = format_of(options.content_format);
  engine.default_chat_template_kwargs = options.default_chat_template_kwargs;
  engine.exclude_tools_when_tool_choice_none = options.exclude_tools_when_tool_choice_none;
  engine.system_start_date = options.system_start_date;
  auto assets = text::ModelAssets::load(path, engine);
  if (!assets) return {nullptr, assets.error().message};
  return {std::move(*assets), {}};
}

}  // namespace kvgate::tokens
