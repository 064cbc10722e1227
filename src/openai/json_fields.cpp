#include "openai/json_fields.hpp"

namespace kvgate::openai {
namespace {

struct KeyName {
  std::string_view name;
  Key key;
};

constexpr KeyName kNames[] = {
    {"model", Key::model},
    {"stream", Key::stream},
    {"messages", Key::messages},
    {"prompt", Key::prompt},
    {"input", Key::input},
    {"query", Key::query},
    {"queries", Key::queries},
    {"text_1", Key::text_1},
    {"texts", Key::texts},
    {"token_ids", Key::token_ids},
    {"max_completion_tokens", Key::max_completion_tokens},
    {"max_output_tokens", Key::max_output_tokens},
    {"max_tokens", Key::max_tokens},
    {"background", Key::background},
    {"store", Key::store},
    {"previous_response_id", Key::previous_response_id},
};

}  // namespace

Key key_of(std::string_view name) noexcept {
  for (auto const& row : kNames) {
    if (row.name == name) return row.key;
  }
  return Key::other;
}

Key prompt_key(ApiKind api) noexcept {
  switch (api) {
    case ApiKind::responses:
    case ApiKind::embeddings:
    case ApiKind::pooling:
    case ApiKind::speech:
      return Key::input;
    case ApiKind::score:
      return Key::text_1;
    case ApiKind::rerank:
      return Key::query;
    case ApiKind::generate:
      return Key::token_ids;
    default:
      return Key::prompt;
  }
}

}  // namespace kvgate::openai
