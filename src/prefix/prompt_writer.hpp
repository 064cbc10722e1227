// The prompt of a request as one text, in the order in which chat templates write it.
#pragma once

#include <cstdint>
#include <string_view>

#include "openai/request_view.hpp"
#include "prefix/json_cursor.hpp"
#include "prefix/prompt_slots.hpp"
#include "prefix/text_sink.hpp"

namespace kvgate::prefix {

/// The text has marks that start things and none that end them, so that the text of a chat is the beginning of the text
/// of its next turn. Marks begin with a byte that no UTF-8 has. One per text; the sink outlives it.
class PromptWriter {
 public:
  /// An image, a sound or a video is eight bytes, a hash of its URL or data, written `media_copies` times.
  PromptWriter(TextSink& sink, std::size_t media_copies) : sink_(sink), media_copies_(media_copies) {}

  /// Stops soon after `max_bytes` of text.
  void write(openai::RequestView const& view, std::uint64_t max_bytes);


 private:
  struct Waiting;

  void write_part(openai::RequestView const& view, openai::PromptPart part);
  void write_message(std::string_view role, std::string_view content);
  void write_prompt(openai::RequestView const& view);
  void write_compared(openai::RequestView const& view, openai::PromptPart part);

  void value(JsonCursor& cursor, SlotRow const& row, unsigned level);
  void string_value(JsonCursor& cursor, SlotRow const& row, unsigned level);
  void media(JsonCursor& cursor);
  void list(JsonCursor& cursor, unsigned level, bool messages);
  void element(JsonCursor& cursor, unsigned level, bool messages);
  void number(JsonCursor& cursor);
  void record(JsonCursor& cursor, unsigned level, bool message);
  void write_waiting(Waiting const& waiting, unsigned level);

  void mark(unsigned level, unsigned what);
  void mark(unsigned level, Slot slot) { mark(level, static_cast<unsigned>(slot)); }
  void mark(openai::PromptPart part);
  bool full() const noexcept { return sink_.size() >= max_bytes_; }

  TextSink& sink_;
  std::size_t media_copies_;
  std::uint64_t max_bytes_ = 0;
};

}  // namespace kvgate::prefix
