#include "text/chat/stop.hpp"

#include <array>
#include <stdexcept>
#include <utility>

namespace kvgate::text {
namespace {

constexpr std::array<std::string_view, 15> kNames{
    "api",           "body",       "no_tokenizer",  "no_template",       "renderer",      "request_template",
    "chat_template", "media",      "prompt_embeds", "previous_response", "builtin_tools", "truncation",
    "pair_format",   "input_item", "size"};
static_assert(kNames.size() == static_cast<std::size_t>(Unknown::size) + 1);

}  // namespace

std::string_view to_string(Unknown reason) noexcept {
  return kNames[static_cast<std::size_t>(reason)];
}

Stop refused(std::string message) {
  return {std::nullopt, std::move(message)};
}

Stop cannot_tell(Unknown reason, std::string detail) {
  return {reason, std::move(detail)};
}

void throw_exception_from_error(Stop const& stop, boost::source_location const&) {
  throw std::logic_error("value of a stopped prompt asked: " + stop.message);
}

}  // namespace kvgate::text
