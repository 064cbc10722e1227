// Fields of request bodies, read the way the engine's models read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "text/chat/stop.hpp"
#include "text/chat/typed_dict.hpp"

namespace kvgate::text {

/// A JSON object. Stops: Unknown::body, for what the engine must judge.
Outcome<Value> read_body(std::string_view body, jinja::Arena& arena);

/// A bool that may be missing. Stops: refused, also for null.
Outcome<bool> read_bool(Value const& body, std::string_view key, bool missing);

/// A dict, None or nothing (which is undefined). Stops: refused.
Outcome<Value> read_dict(Value const& body, std::string_view key);

/// How many tokens the engine keeps of a prompt.
struct Truncation {
  enum class Side : std::uint8_t { unset, left, right };
  std::optional<std::int64_t> keep;  ///< -1: as many as fit the model; nullopt: all
  Side side = Side::unset;
};

/// `truncate_prompt_tokens` and `truncation_side`. Stops: refused.
Outcome<Truncation> read_truncation(Value const& body);

/// Token ids: non-negative integers that fit 32 bits; nullopt if `value` is anything else.
std::optional<std::vector<std::uint32_t>> read_ids(Value const& value);

/// `kv_transfer_params.prompt_token_ids`, the prompt as another engine or a router has computed it; undefined if there
/// is none.
Value forwarded_ids(Value const& body);

}  // namespace kvgate::text
