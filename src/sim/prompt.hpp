// The text that the model would see, from each API's body.
#pragma once

#include <string>

#include "sim/json.hpp"
#include "sim/tokens.hpp"

namespace kvgate::sim {

/// `messages` through the ChatML template, tools and a separate system text in front.
std::string chat_text(Json const& body);

/// The same for /v1/responses: `instructions` and `input`.
std::string responses_text(Json const& body);

/// `prompt` or `input`: text, a list of texts, token ids, or a list of lists of them; a list is taken as one prompt.
/// `count` is set to how many prompts there are.
Tokens prompt_tokens(Json const& value, std::uint32_t& count);

}  // namespace kvgate::sim
