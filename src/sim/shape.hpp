// How one API words an answer: whole, or as the events of a stream.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/job.hpp"

namespace kvgate::sim {

struct Usage {
  std::uint32_t prompt = 0;
  std::uint32_t completion = 0;
  std::uint32_t cached = 0;   ///< of the prompt
  std::uint32_t created = 0;  ///< of the prompt, added to the cache
};

struct Token {
  std::string_view text;
  std::uint32_t index = 0;
  bool last = false;
};

/// Events as they go over the wire, `data: ...` and the blank line included.
using Events = std::vector<std::string>;

/// Made for one job, which outlives it; asked in the order of the declarations.
class Shape {
 public:
  virtual ~Shape() = default;

  /// Events that vLLM sends before the prefill.
  virtual Events opening() { return {}; }
  /// Events before the first token.
  virtual Events first(Usage const& usage) = 0;
  virtual Events token(Token const& token, Usage const& usage) = 0;
  virtual Events closing(Usage const& usage) = 0;

  /// The body of an answer that is not streamed.
  virtual Json whole(std::string const& text, Usage const& usage) = 0;
};

std::unique_ptr<Shape> chat_shape(Job const& job);
std::unique_ptr<Shape> completion_shape(Job const& job);
std::unique_ptr<Shape> responses_shape(Job const& job);
std::unique_ptr<Shape> messages_shape(Job const& job);
std::unique_ptr<Shape> transcription_shape(Job const& job);

/// The object of a response in the state `status`, as created, polled or cancelled.
Json response_object(Job const& job, std::string_view status);

std::string data_event(Json const& data);
std::string named_event(std::string_view name, Json const& data);  ///< with an `event:` line
extern std::string_view const done_event;                          ///< `data: [DONE]`

/// "stop" or "length".
std::string_view finish_reason(Job const& job) noexcept;

extern std::string_view const system_fingerprint;

}  // namespace kvgate::sim
