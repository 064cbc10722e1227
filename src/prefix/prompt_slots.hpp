// The fields of messages, of their parts and of the items of the responses API that enter a prompt.
#pragma once

#include <cstdint>
#include <string_view>

#include "prefix/json_cursor.hpp"

namespace kvgate::prefix {

/// In the order in which they enter the hash, whatever their order in the object. Ids, `cache_control`, annotations and
/// all else that no chat template is given are not here. `type` is not needed: the other fields tell parts apart.
enum class Slot : std::uint8_t {
  record,  ///< starts a message
  list,    ///< starts a list in a list
  tokens,  ///< starts a list of token ids
  role,
  content,
  text,
  refusal,
  thinking,
  reasoning,
  name,
  tool_calls,
  function_call,
  call_id,
  arguments,
  input,
  output,
  summary,
  tools,
  image,
  audio,
  video,
  file,
  media,
  uuid
};

enum class SlotKind : std::uint8_t {
  nested,  ///< a string, or a list of strings and objects whose fields are slots again
  media,   ///< the same, but its strings are URLs and encoded files
  json     ///< any JSON, taken whole
};

struct SlotRow {
  std::string_view name;
  Slot slot = Slot::record;
  SlotKind kind = SlotKind::nested;
};

/// The slot of the field of that (decoded) name; nullptr when it does not enter a prompt.
SlotRow const* find_slot(std::string_view name) noexcept;

/// Consumes the name of a field, escapes and all, that starts at the cursor.
SlotRow const* read_slot(JsonCursor& cursor) noexcept;

}  // namespace kvgate::prefix
