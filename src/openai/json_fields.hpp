// The top-level keys of a request body that routing reads.
#pragma once

#include <cstdint>
#include <string_view>

#include "openai/api.hpp"

namespace kvgate::openai {

/// Those from `prompt` to `token_ids` can hold the prompt.
enum class Key : std::uint8_t {
  other,
  model,
  stream,
  messages,
  prompt,
  input,
  query,
  queries,
  text_1,
  texts,
  token_ids,
  max_completion_tokens,
  max_output_tokens,
  max_tokens,
  background,
  store,
  previous_response_id,
  session
};

/// The key of that (decoded) name; Key::other for all that routing does not read. Never Key::session.
Key key_of(std::string_view name) noexcept;

/// Where this API has its prompt; the other prompt keys count only when this one is missing.
Key prompt_key(ApiKind api) noexcept;

constexpr bool holds_prompt(Key key) noexcept {
  return key >= Key::prompt && key <= Key::token_ids;
}

}  // namespace kvgate::openai
