#include "text/chat/chat_template.hpp"

namespace kvgate::text {

boost::system::result<ChatTemplate, jinja::TemplateError> make_chat_template(
    std::string source, std::optional<jinja::ContentFormat> format) {
  auto compiled = jinja::Template::compile(source);
  if (!compiled) return compiled.error();
  jinja::ContentFormat const used = format.value_or(compiled->content_format());
  return ChatTemplate{std::move(*compiled), std::move(source), used};
}

}  // namespace kvgate::text
