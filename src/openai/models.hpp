// Lists of models: what an engine says that it serves, and what the gate answers to GET /v1/models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kvgate/error.hpp"

namespace kvgate::openai {

struct ModelCard {
  std::string id;
  std::string parent;  ///< the base model of a LoRA adapter; empty: this is a base model
  std::string root;    ///< what the engine loaded: a name on Hugging Face or a path; empty: not told
  std::uint64_t max_model_len = 0;  ///< longest prompt with its completion, in tokens; 0: not told
  std::string json;    ///< the object as the engine wrote it: every field, order and number kept

  bool base() const noexcept { return parent.empty(); }
};

inline constexpr std::size_t kMaxModels = 10'000;
inline constexpr std::size_t kMaxModelsBody = 8 * 1024 * 1024;
inline constexpr std::size_t kMaxModelId = 1024;

/// Reads an engine's answer to GET /v1/models. Elements that are no valid JSON objects, or whose id is no string of
/// 1 to kMaxModelId bytes, are left out. Errors: engine_bad_response when the body is no JSON object with an array
/// `data`, or over one of the limits.
Result<std::vector<ModelCard>> parse_models(std::string_view body);

/// {"object":"list","data":[...]}; of cards with the same id the first is taken.
std::string models_body(std::span<ModelCard const> cards);

/// The card of a model that only configuration knows. `created`: seconds since the epoch.
ModelCard configured_model(std::string_view id, std::int64_t created);

}  // namespace kvgate::openai
