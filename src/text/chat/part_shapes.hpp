// The shapes that parts of message content may have.
#pragma once

#include "text/chat/typed_dict.hpp"

namespace kvgate::text {

/// A text part as OpenAI defines it; kInvalid for anything else.
int count_text_part(Value const& part);

/// Parts of user messages as OpenAI defines them: text, image_url, input_audio, file.
int count_user_part(Value const& part);

/// Parts of assistant messages as OpenAI defines them: text, refusal.
int count_assistant_part(Value const& part);

/// Anything that vLLM takes in a message of any role, a plain string included.
int count_any_part(Value const& part);

}  // namespace kvgate::text
