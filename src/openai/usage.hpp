// Looks at a response while it passes: counts stream events and finds the token usage at the end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kvgate::openai {

/// Tokens of one request as the engine counted them.
struct Usage {
  std::optional<std::uint64_t> prompt;      ///< prompt_tokens or input_tokens
  std::optional<std::uint64_t> cached;      ///< cached_tokens of the details, or cache_read_input_tokens
  std::optional<std::uint64_t> completion;  ///< completion_tokens or output_tokens

  bool operator==(Usage const&) const = default;
};

/// One per exchange, reusable. Fed with the payload (de-chunked, not compressed; JSON or SSE), cut anywhere. Keeps the
/// first KiB and the last 8; never allocates. Not thread-safe.
class UsageScanner {
 public:
  void reset() noexcept;
  void feed(std::string_view payload) noexcept;

  /// SSE frames with data, ended by an empty line (LF or CRLF), `data: [DONE]` not counted.
  std::uint64_t events() const noexcept { return events_; }

  /// Whether `data: [DONE]` was seen.
  bool done() const noexcept { return done_; }

  /// True when nothing stands behind the last empty line, so that a frame of our own can follow.
  bool at_event_boundary() const noexcept { return !in_frame_ && line_size_ == 0; }

  /// The last `"usage":{...}` among the last 8 KiB that is no text inside a string and holds a count of tokens; all
  /// members are empty when there is none (of the last 64 places that look like one). Where it has no prompt tokens,
  /// those of a stream come from its first KiB: messages tell them at their start. Meant for the end of the response:
  /// costs a search through the 8 KiB.
  Usage usage() const;

 private:
  static constexpr std::size_t kHead = 1024;
  static constexpr std::size_t kTail = 8192;
  static constexpr std::size_t kNear = 1536;     // where the usage of nearly every answer is
  static constexpr std::size_t kLineHead = 16;  // enough to tell "data: [DONE]\r" from longer lines

  Usage usage_at_end() const;
  Usage last_usage_of(std::size_t size) const;
  bool is_one_frame(std::string_view payload) const noexcept;
  void keep_tail(std::string_view payload) noexcept;
  void add_to_line(std::string_view part) noexcept;
  void end_line() noexcept;

  std::array<char, kHead> head_;
  std::array<char, kTail> tail_;  // a ring: byte number n of the payload is at n % kTail
  std::uint64_t total_ = 0;
  std::array<char, kLineHead> line_;
  std::size_t line_size_ = 0;  // of the unfinished line, also what does not fit into line_
  std::uint64_t events_ = 0;
  bool in_frame_ = false;  // a line that is not empty was seen since the last empty one
  bool has_data_ = false;  // and it was `data:` other than [DONE]
  bool done_ = false;
};

}  // namespace kvgate::openai
