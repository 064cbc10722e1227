#include "prefix/prompt_writer.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "prefix/block_hasher.hpp"
#include "prefix/json_string.hpp"
#include "prefix/mix.hpp"

namespace kvgate::prefix {
namespace {

using openai::ApiKind;
using openai::PromptPart;

constexpr unsigned kMaxLevel = 7;
constexpr unsigned kMark = 0xF8;       // to 0xFF, by level
constexpr unsigned kFirstPart = 0x40;  // marks of parts come after those of slots
constexpr SlotRow kContent{"content", Slot::content, SlotKind::nested};
constexpr SlotRow kText{"text", Slot::text, SlotKind::nested};

PromptPart next(PromptPart part) {
  return static_cast<PromptPart>(static_cast<unsigned>(part) + 1);
}

/// What the score and rerank APIs compare with the query comes after it.
bool compares(ApiKind api) {
  return api == ApiKind::score || api == ApiKind::rerank;
}

bool chats(ApiKind api) {
  return api == ApiKind::chat || api == ApiKind::batch_chat || api == ApiKind::messages;
}

/// vLLM's default of add_special_tokens.
std::string_view special_tokens(openai::RequestView const& view) {
  return chats(view.api) || !view.messages.empty() ? "false" : "true";
}

template <class Number>
void put_number(TextSink& sink, Number number) {
  number = little_endian(number);
  std::memcpy(sink.room(), &number, sizeof number);
  sink.wrote(sizeof number);
}

}  // namespace

/// Fields of an object that must wait for what comes first.
struct PromptWriter::Waiting {
  struct Field {
    SlotRow const* row;
    char const* data;
    std::size_t size;
  };
  std::uint32_t slots = 0;
  std::array<Field, 32> fields;  // by slot

  void add(SlotRow const& row, std::string_view value) {
    auto const i = static_cast<unsigned>(row.slot);
    slots |= 1u << i;
    fields[i] = {&row, value.data(), value.size()};
  }
};

void PromptWriter::mark(unsigned level, unsigned what) {
  auto* const to = sink_.room();
  to[0] = static_cast<char>(kMark + level);
  to[1] = static_cast<char>(what);
  sink_.wrote(2);
}

void PromptWriter::mark(PromptPart part) {
  mark(0, kFirstPart + static_cast<unsigned>(part));
}

void PromptWriter::write(openai::RequestView const& view, std::uint64_t max_bytes) {
  max_bytes_ = max_bytes;
  for (auto part = PromptPart::chat_template; part < PromptPart::documents; part = next(part)) {
    if (!view.part(part).empty()) write_part(view, part);
  }
  auto const cites = !compares(view.api) && !view.part(PromptPart::documents).empty();
  if (cites) write_part(view, PromptPart::documents);
  write_prompt(view);
  if (!compares(view.api)) return;
  for (auto part = PromptPart::documents; part <= PromptPart::data_2; part = next(part)) write_compared(view, part);
}

void PromptWriter::write_part(openai::RequestView const& view, PromptPart part) {
  auto const json = view.part(part);
  if (full()) return;
  if (part == PromptPart::system || part == PromptPart::instructions) return write_message("system", json);
  if (part == PromptPart::add_special_tokens && json == special_tokens(view)) return;
  mark(part);
  write_canonical(json, sink_);
}

/// For what other APIs have as a message.
void PromptWriter::write_message(std::string_view role, std::string_view content) {
  mark(0, Slot::record);
  mark(0, Slot::role);
  sink_.put(role);
  JsonCursor cursor(content);
  value(cursor, kContent, 0);
}

void PromptWriter::write_prompt(openai::RequestView const& view) {
  bool const messages = !view.messages.empty() && (chats(view.api) || view.prompt.empty());
  auto const json = messages ? view.messages : view.prompt;
  bool const items = messages || view.api == ApiKind::responses;
  JsonCursor cursor(json);
  auto const first = cursor.peek();
  if (first == '[') return list(cursor, 0, items);
  if (first == '"' && items) return write_message("user", json);
  if (first != '\0') element(cursor, 0, items);
}

void PromptWriter::write_compared(openai::RequestView const& view, PromptPart part) {
  auto const json = view.part(part);
  if (json.empty()) return;
  mark(part);
  JsonCursor cursor(json);
  value(cursor, kText, 0);
}

void PromptWriter::value(JsonCursor& cursor, SlotRow const& row, unsigned level) {
  auto const first = cursor.peek();
  // `null` is the same as nothing.
  if (first == 'n' || first == '\0') {
    cursor.skip_value();
    return;
  }
  mark(level, row.slot);
  if (first == '"') return string_value(cursor, row, level);
  if (row.kind == SlotKind::json) return write_canonical(cursor.skip_value(), sink_);
  if (first == '[') return list(cursor, level + 1, false);
  if (first == '{') return record(cursor, level + 1, false);
  sink_.put(cursor.scalar());
}

void PromptWriter::string_value(JsonCursor& cursor, SlotRow const& row, unsigned level) {
  if (row.kind == SlotKind::media) return media(cursor);
  // A string is the same as a list of one text.
  if (row.slot == Slot::content || row.slot == Slot::output) mark(level + 1, Slot::text);
  read_string(cursor, sink_);
}

void PromptWriter::media(JsonCursor& cursor) {
  BlockHasher hasher(kRoots[2]);
  read_string(cursor, hasher);
  auto const digest = hasher.digest();
  // Where text is only counted, what is tiny in the body stays tiny.
  auto const copies = sink_.size() < kMaxBlocks * kBlockBytes ? media_copies_ : 1;
  for (std::size_t i = 0; i < copies; ++i) put_number(sink_, digest);
}

void PromptWriter::list(JsonCursor& cursor, unsigned level, bool messages) {
  if (level >= kMaxLevel) {
    cursor.skip_value();
    return;
  }
  cursor.advance(1);
  auto const first = cursor.peek();
  if (first >= '0' && first <= '9') mark(level, Slot::tokens);
  do {
    if (cursor.peek() == ']') break;
    element(cursor, level, messages);
  } while (!full() && cursor.take(','));
  if (!cursor.take(']')) cursor.fail();
}

void PromptWriter::element(JsonCursor& cursor, unsigned level, bool messages) {
  auto const first = cursor.peek();
  if (first == '{') return record(cursor, level, messages);
  if (first == '"') {
    mark(level, Slot::text);
    return read_string(cursor, sink_);
  }
  if (first == '[') {
    mark(level, Slot::list);
    return list(cursor, level + 1, messages);
  }
  number(cursor);
}

void PromptWriter::number(JsonCursor& cursor) {
  if (auto const id = cursor.small_number(); id >= 0) {
    put_number(sink_, static_cast<std::uint32_t>(id));
  } else {
    sink_.put(cursor.scalar());
  }
}

/// An object whose fields are slots. A message begins with its role and its content, any other object with its text.
/// These are written as they come when they come in this order, all other fields at the end, in the order of Slot.
void PromptWriter::record(JsonCursor& cursor, unsigned level, bool message) {
  if (level >= kMaxLevel) {
    cursor.skip_value();
    return;
  }
  cursor.advance(1);
  if (message) mark(level, Slot::record);
  Waiting waiting;
  auto due = message ? Slot::role : Slot::text;
  while (cursor.peek() == '"') {
    auto const* const row = read_slot(cursor);
    if (!cursor.take(':')) return cursor.fail();
    if (row != nullptr && row->slot == due) {
      value(cursor, *row, level);
      due = due == Slot::role ? Slot::content : Slot::record;
    } else {
      auto const json = cursor.skip_value();
      if (row != nullptr) waiting.add(*row, json);
    }
    if (full() || !cursor.take(',')) break;
  }
  write_waiting(waiting, level);
  if (!cursor.take('}')) cursor.fail();
}

void PromptWriter::write_waiting(Waiting const& waiting, unsigned level) {
  for (auto slots = waiting.slots; slots != 0; slots &= slots - 1) {
    auto const& field = waiting.fields[static_cast<std::size_t>(std::countr_zero(slots))];
    JsonCursor cursor({field.data, field.size});
    value(cursor, *field.row, level);
  }
}

}  // namespace kvgate::prefix
