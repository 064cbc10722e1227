#include "text/chat/model_kind.hpp"

#include <algorithm>
#include <array>

#include "text/chat/template_sources.hpp"
#include "text/jinja/json_reader.hpp"

namespace kvgate::text {
namespace {

namespace fs = std::filesystem;

// Architectures for which vLLM has a renderer of its own.
constexpr std::array<std::string_view, 8> kNativeArchitectures{
    "DeepseekV32ForCausalLM",         "DeepseekV4ForCausalLM",   "DeepseekV4ForConditionalGeneration",
    "DeepseekV41ForCausalLM",         "InklingForCausalLM",      "InklingForConditionalGeneration",
    "KimiK3ForConditionalGeneration", "MoonshotKimiaForCausalLM"};
constexpr std::array<std::string_view, 7> kNativeTypes{"deepseek_v32", "deepseek_v4", "deepseek_v41", "kimi_k3",
                                                       "kimi_audio",   "inkling",     "terratorch"};

// Models of several vectors, whose scoring has formats of its own.
constexpr std::array<std::string_view, 4> kOwnScoring{"ForRanking", "ColBERT", "ForRetrieval", "Col"};

std::string_view text_of(Value const& value) {
  return value.is_string() ? value.text() : std::string_view();
}

std::string_view architecture(Value const& config) {
  Value const list = config.get("architectures");
  return list.is_sequence() && !list.items().empty() ? text_of(list.items()[0]) : std::string_view();
}

bool any_file(fs::path const& folder, bool (*matches)(std::string_view name)) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (matches(it->path().filename().string())) return true;
  }
  return false;
}

bool is_mistral_vocabulary(std::string_view name) {
  return name == "tekken.json" || name.starts_with("tokenizer.model.v");
}
bool is_mistral_weight(std::string_view name) {
  return name.starts_with("consolidated") && name.ends_with(".safetensors");
}
bool is_weight(std::string_view name) {
  return name.ends_with(".safetensors");
}

/// vLLM takes Mistral's own tokenizer where weights in Mistral's format lie beside it; a folder without weights does
/// not tell.
bool uses_mistral_common(fs::path const& folder) {
  if (!any_file(folder, is_mistral_vocabulary)) return false;
  return any_file(folder, is_mistral_weight) || !any_file(folder, is_weight);
}

bool contains(std::span<std::string_view const> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

RendererChoice choose_renderer(fs::path const& folder, Value const& config) {
  std::string_view const type = text_of(config.get("model_type"));
  if (type == "gpt_oss") return {Renderer::harmony, {}};
  if (contains(kNativeTypes, type) || contains(kNativeArchitectures, architecture(config))) {
    return {Renderer::unsupported, "the engine renders " + std::string(type) + " with code of its own"};
  }
  if (uses_mistral_common(folder)) return {Renderer::unsupported, "the engine renders chats with mistral-common"};
  return {};
}

Scoring choose_scoring(Value const& config, bool has_template) {
  std::string_view const name = architecture(config);
  if (name.empty()) return Scoring::unknown;
  if (!name.ends_with("ForSequenceClassification")) {
    bool const own =
        std::ranges::any_of(kOwnScoring, [&](std::string_view part) { return name.find(part) != name.npos; });
    return own ? Scoring::unknown : Scoring::apart;
  }
  if (has_template) return Scoring::rendered;
  Value const padded = config.get("use_pad_token");
  Value const separated = is_null(padded) ? config.get("use_sep_token") : padded;
  bool const by_default = is_null(config.get("method"));
  return (is_null(separated) ? by_default : truthy(separated)) ? Scoring::pairs : Scoring::joined;
}

bool lower_cases(fs::path const& folder) {
  for (std::string_view kind : {"bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet"}) {
    auto const content = read_optional(folder / ("sentence_" + std::string(kind) + "_config.json"));
    if (!content || !*content) continue;
    jinja::Arena arena;
    auto const parsed = jinja::parse_json(**content, arena);
    return parsed && truthy(parsed->get("do_lower_case"));
  }
  return false;
}

}  // namespace kvgate::text
