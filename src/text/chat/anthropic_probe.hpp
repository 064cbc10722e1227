// What an engine finds out of its template at start, for /v1/messages.
#pragma once

#include <string>

#include "text/chat/prompt_model.hpp"

namespace kvgate::text {

/// Whether system messages inside a conversation must go to its front: the template refuses a second one.
bool merges_inline_system(PromptModel const& model);

/// The reasoning_effort that stands for thinking.type "disabled": "low" where "none" is refused or makes no difference.
std::string probe_disabled_effort(PromptModel const& model);

}  // namespace kvgate::text
