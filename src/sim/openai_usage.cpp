#include "sim/openai_usage.hpp"

#include <nlohmann/json.hpp>

namespace kvgate::sim {
namespace {

Json totals(Usage const& usage) {
  return {{"prompt_tokens", usage.prompt},
          {"total_tokens", usage.prompt + usage.completion},
          {"completion_tokens", usage.completion}};
}

}  // namespace

Json whole_usage(Usage const& usage, bool created) {
  auto body = totals(usage);
  body["prompt_tokens_details"] = {
      {"cached_tokens", usage.cached}, {"created_cache_tokens", nullptr}, {"multimodal_tokens", nullptr}};
  if (created) body["prompt_tokens_details"]["created_cache_tokens"] = usage.created;
  body["completion_tokens_details"] = nullptr;
  return body;
}

Json final_usage(Usage const& usage, bool created) {
  auto body = totals(usage);
  body["prompt_tokens_details"] = {{"cached_tokens", usage.cached}};
  if (created) body["prompt_tokens_details"]["created_cache_tokens"] = usage.created;
  return body;
}

Json running_usage(Usage const& usage) {
  auto body = totals(usage);
  body["completion_tokens_details"] = nullptr;
  return body;
}

}  // namespace kvgate::sim
