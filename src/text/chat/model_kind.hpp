// What a model's folder says of how the engine renders and scores.
#pragma once

#include <filesystem>
#include <string>

#include "text/chat/prompt_model.hpp"
#include "text/chat/typed_dict.hpp"

namespace kvgate::text {

struct RendererChoice {
  Renderer renderer = Renderer::jinja;
  std::string why;  ///< of an unsupported one, for people
};

/// By model_type and architectures of config.json, and by the files that make vLLM take Mistral's own tokenizer.
RendererChoice choose_renderer(std::filesystem::path const& folder, Value const& config);

/// By architectures of config.json; `has_template`: the engine was given a template for scoring.
Scoring choose_scoring(Value const& config, bool has_template);

/// Whether a sentence_*_config.json makes the engine lower-case texts.
bool lower_cases(std::filesystem::path const& folder);

}  // namespace kvgate::text
