#include "openai/json_fields.hpp"

#include <array>

#include "openai/name_table.hpp"

namespace kvgate::openai {
namespace {

struct KeyName {
  std::string_view name;
  Key key;
};

constexpr NameTable kNames(std::to_array<KeyName>({
    {"model", Key::model},
    {"stream", Key::stream},
    {"messages", Key::messages},
    {"prompt", Key::prompt},
    {"input", Key::input},
    {"query", Key::query},
    {"queries", Key::queries},
    {"text_1", Key::text_1},
    {"data_1", Key::data_1},
    {"texts", Key::texts},
    {"inputs", Key::inputs},
    {"images", Key::images},
    {"token_ids", Key::token_ids},
    {"prompt_embeds", Key::prompt_embeds},
    {"max_completion_tokens", Key::max_completion_tokens},
    {"max_output_tokens", Key::max_output_tokens},
    {"max_tokens", Key::max_tokens},
    {"background", Key::background},
    {"store", Key::store},
    {"cache_salt", Key::cache_salt},
    {"chat_template", Key::chat_template},
    {"chat_template_kwargs", Key::chat_template_kwargs},
    {"reasoning_effort", Key::reasoning_effort},
    {"reasoning", Key::reasoning},
    {"thinking", Key::thinking},
    {"output_config", Key::output_config},
    {"mm_processor_kwargs", Key::mm_processor_kwargs},
    {"media_io_kwargs", Key::media_io_kwargs},
    {"add_special_tokens", Key::add_special_tokens},
    {"input_type", Key::input_type},
    {"tools", Key::tools},
    {"system", Key::system},
    {"instructions", Key::instructions},
    {"previous_response_id", Key::previous_response_id},
    {"previous_input_messages", Key::previous_input_messages},
    {"documents", Key::documents},
    {"items", Key::items},
    {"text_2", Key::text_2},
    {"data_2", Key::data_2},
}));

}  // namespace

Key key_of(std::string_view name) noexcept {
  auto const* row = kNames.find(name);
  return row == nullptr ? Key::other : row->key;
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
