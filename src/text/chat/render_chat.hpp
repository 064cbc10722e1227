// A chat request rendered to text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/chat/template_input.hpp"

namespace kvgate::text {

struct RenderedChat {
  std::string text;
  std::vector<std::uint64_t> media;  ///< hashes of images, audio, videos; with any, `text` ends where the first begins
};

/// Stops: refused (with what the template said through raise_exception), no_template, chat_template, media,
/// prompt_embeds. Throws jinja::ArenaFull.
Outcome<RenderedChat> render_chat(ChatRequest const& request, ChatTemplates const& model,
                                  jinja::RenderOptions const& options, jinja::Arena& arena);

/// The messages as the template would get them, and the other variables that it would see, as one dict: for tests and
/// for people who look for a difference. Stops as above.
Outcome<Value> explain_input(ChatRequest const& request, ChatTemplates const& model, jinja::Arena& arena);

}  // namespace kvgate::text
