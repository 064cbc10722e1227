#include "text/chat/model_assets.hpp"

#include <utility>

#include "text/chat/anthropic_probe.hpp"
#include "text/chat/model_kind.hpp"
#include "text/chat/special_tokens.hpp"
#include "text/chat/template_sources.hpp"
#include "text/jinja/json_reader.hpp"

namespace kvgate::text {
namespace {

namespace fs = std::filesystem;

/// The small files of a folder, parsed. The values refer to the texts and the arena.
struct Files {
  std::vector<std::string> texts;
  jinja::Arena arena;
  TokenizerFiles values;
};

Result<void> read_json(fs::path const& file, Files& files, Value& out) {
  auto content = read_optional(file);
  if (!content) return content.error();
  if (!*content) return {};
  auto const parsed = jinja::parse_json(files.texts.emplace_back(std::move(**content)), files.arena);
  if (!parsed) return Error(ErrorKind::bad_request, file.string() + ": " + parsed.error().message);
  out = *parsed;
  return {};
}

Result<void> read_files(fs::path const& folder, Files& files) {
  files.texts.reserve(3);  // values refer to them
  auto read = read_json(folder / "tokenizer_config.json", files, files.values.tokenizer_config);
  if (read) read = read_json(folder / "special_tokens_map.json", files, files.values.special_tokens_map);
  if (read) read = read_json(folder / "config.json", files, files.values.config);
  return read;
}

Result<std::optional<ChatTemplate>> compile(std::optional<std::string> source, EngineOptions const& options,
                                            fs::path const& folder) {
  if (!source) return std::optional<ChatTemplate>();
  auto compiled = make_chat_template(std::move(*source), options.content_format);
  if (compiled) return std::optional<ChatTemplate>(std::move(*compiled));
  auto const& error = compiled.error();
  return Error(ErrorKind::bad_request,
               folder.string() + ": chat template, line " + std::to_string(error.line) + ": " + error.message);
}

Result<void> load_templates(fs::path const& folder, Files const& files, EngineOptions const& options,
                            ChatTemplates& out) {
  auto sources = find_templates(folder, files.values.tokenizer_config, options.chat_template);
  if (!sources) return sources.error();
  auto plain = compile(std::move(sources->plain), options, folder);
  if (!plain) return plain.error();
  auto with_tools = compile(std::move(sources->with_tools), options, folder);
  if (!with_tools) return with_tools.error();
  out.plain = std::move(*plain);
  out.with_tools = std::move(*with_tools);
  out.special_tokens = special_tokens(files.values);
  out.default_kwargs = options.default_chat_template_kwargs;
  out.hide_unused_tools = options.exclude_tools_when_tool_choice_none;
  return {};
}

Result<void> load_prompts(fs::path const& folder, EngineOptions const& options, PromptModel& out) {
  Files files;
  auto read = read_files(folder, files);
  if (!read) return read;
  RendererChoice const choice = choose_renderer(folder, files.values.config);
  out.renderer = choice.renderer;
  out.unsupported = choice.why;
  // Gpt-oss is not rendered with its template, but the engine looks at it all the same (merges_inline_system).
  if (out.renderer != Renderer::unsupported) read = load_templates(folder, files, options, out.templates);
  if (!read) return read;
  out.scoring = choose_scoring(files.values.config, !options.chat_template.empty());
  out.lower_cases = lower_cases(folder);
  out.start_date = options.system_start_date;
  out.merges_inline_system = merges_inline_system(out);
  out.disabled_thinking_effort = options.anthropic_disabled_thinking_effort;
  if (out.disabled_thinking_effort == "auto") out.disabled_thinking_effort = probe_disabled_effort(out);
  return {};
}

Result<void> load_pairs(fs::path const& folder, ModelAssets& out) {
  auto const content = read_optional(folder / "tokenizer.json");
  if (!content) return content.error();
  if (!*content) return {};
  auto pairs = parse_pair_format(**content);
  if (!pairs) return {};  // scoring stays unknown
  out.pairs = std::move(*pairs);
  return {};
}

}  // namespace

Result<std::shared_ptr<ModelAssets const>> ModelAssets::load(fs::path const& folder, EngineOptions const& options) {
  auto out = std::make_shared<ModelAssets>();
  auto tokenizer = Tokenizer::load(folder);
  if (!tokenizer) return tokenizer.error();
  out->tokenizer = std::move(*tokenizer);
  out->encoder.emplace(out->tokenizer);
  out->cuts = CutTokens(*out->tokenizer);
  auto loaded = load_prompts(folder, options, out->prompts);
  if (loaded && out->prompts.scoring == Scoring::pairs) loaded = load_pairs(folder, *out);
  if (!loaded) return loaded.error();
  if (out->prompts.renderer == Renderer::harmony) {
    auto encoding = harmony::load_encoding(folder, *out->tokenizer);
    if (!encoding) return encoding.error();
    out->harmony = std::move(*encoding);
  }
  out->max_model_len = options.max_model_len;
  return std::shared_ptr<ModelAssets const>(std::move(out));
}

}  // namespace kvgate::text
