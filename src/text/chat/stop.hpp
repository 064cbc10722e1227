// Why a request has no token ids: the engine would refuse it, or nobody here can tell what the engine would make of it.
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kvgate::text {

/// A closed set: the names label metrics.
enum class Unknown : std::uint8_t {
  api,                ///< the API has no prompt of text (audio, images, ...)
  body,               ///< not a JSON object, or one that only the engine can judge
  no_tokenizer,       ///< no tokenizer is loaded for the model
  no_template,        ///< the model has no chat template
  renderer,           ///< the engine renders this model with code of its own
  request_template,   ///< the request brings its own template
  chat_template,      ///< the template was stopped at a bound, or does what is not supported here
  media,              ///< nothing certain stands before the first image, audio or video
  prompt_embeds,      ///< the prompt is a tensor
  previous_response,  ///< the prompt continues a response that the engine keeps
  builtin_tools,      ///< tools that the engine describes itself
  truncation,         ///< the engine shortens the prompt by rules that depend on its settings
  pair_format,        ///< how the engine joins query and document is not known
  input_item,         ///< an input item that only the engine can read
  size,               ///< over a bound of ours
};

/// snake_case name. Never empty.
std::string_view to_string(Unknown reason) noexcept;

struct Stop {
  std::optional<Unknown> unknown;  ///< nullopt: the engine refuses the request, `message` is about what it says
  std::string message;
};

template <class T>
using Outcome = boost::system::result<T, Stop>;

/// The engine would answer 400.
Stop refused(std::string message);

Stop cannot_tell(Unknown reason, std::string detail = {});

/// Called by value() on an error; callers ask first, so this is a defect and throws std::logic_error.
[[noreturn]] void throw_exception_from_error(Stop const& stop, boost::source_location const& where);

}  // namespace kvgate::text
