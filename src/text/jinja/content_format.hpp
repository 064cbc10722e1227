// vLLM's guess of how a template wants message content.
#pragma once

#include "text/jinja/ast.hpp"
#include "text/jinja/template.hpp"

namespace kvgate::jinja {

/// `openai` if the template loops over the content of a message, also under other names: set, namespaces, macro
/// parameters. To be asked before constants are folded.
ContentFormat detect_content_format(Block body);

}  // namespace kvgate::jinja
