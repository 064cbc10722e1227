#include "prefix/prompt_slots.hpp"

#include <algorithm>
#include <array>

#include "openai/name_table.hpp"
#include "prefix/json_string.hpp"

namespace kvgate::prefix {
namespace {

using S = Slot;
using K = SlotKind;

constexpr openai::NameTable kSlots(std::to_array<SlotRow>({
    {"role", S::role},
    {"content", S::content},
    {"text", S::text},
    {"refusal", S::refusal},
    {"thinking", S::thinking},
    {"reasoning", S::reasoning},
    {"reasoning_content", S::reasoning},
    {"name", S::name},
    {"tool_calls", S::tool_calls, K::json},
    {"function_call", S::function_call, K::json},
    {"tool_call_id", S::call_id},
    {"tool_use_id", S::call_id},
    {"call_id", S::call_id},
    {"arguments", S::arguments, K::json},
    {"input", S::input, K::json},
    {"output", S::output},
    {"summary", S::summary},
    {"tools", S::tools, K::json},
    {"image", S::image, K::media},
    {"image_url", S::image, K::media},
    {"image_embeds", S::image, K::media},
    {"audio_url", S::audio, K::media},
    {"input_audio", S::audio, K::media},
    {"audio_embeds", S::audio, K::media},
    {"video_url", S::video, K::media},
    {"video_embeds", S::video, K::media},
    {"file", S::file, K::media},
    {"file_url", S::file, K::media},
    {"file_data", S::file, K::media},
    {"file_id", S::file, K::media},
    {"source", S::media, K::media},
    {"url", S::media, K::media},
    {"data", S::media, K::media},
    {"uuid", S::uuid},
}));

/// Keeps the beginning of a text, which is a name if it is no longer.
class NameSink final : public TextSink {
 public:
  std::string_view name() {
    flush();
    return {name_.data(), size_};
  }

 private:
  void consume(std::string_view piece) override {
    auto const more = std::min(piece.size(), name_.size() - size_);
    std::copy_n(piece.data(), more, name_.data() + size_);
    size_ += more;
  }

  std::array<char, 32> name_;
  std::size_t size_ = 0;
};

}  // namespace

SlotRow const* find_slot(std::string_view name) noexcept {
  return kSlots.find(name);
}

SlotRow const* read_slot(JsonCursor& cursor) noexcept {
  auto plain = cursor;
  plain.advance(1);
  auto const name = plain.plain_run();
  if (!plain.done() && *plain.at() == '"') {
    plain.advance(1);
    cursor = plain;
    return find_slot(name);
  }
  NameSink decoded;
  read_string(cursor, decoded);
  return find_slot(decoded.name());
}

}  // namespace kvgate::prefix
