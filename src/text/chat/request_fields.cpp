#include "text/chat/request_fields.hpp"

#include <limits>
#include <vector>

#include "text/jinja/json_reader.hpp"

namespace kvgate::text {

Outcome<Value> read_body(std::string_view body, jinja::Arena& arena) {
  auto const parsed = jinja::parse_json(body, arena);
  if (!parsed) return cannot_tell(Unknown::body, parsed.error().message);
  if (!parsed->is_dict()) return cannot_tell(Unknown::body, "not a JSON object");
  return *parsed;
}

Outcome<bool> read_bool(Value const& body, std::string_view key, bool missing) {
  Value const value = body.get(key);
  if (value.is_undefined()) return missing;
  if (auto const read = lax_bool(value)) return *read;
  return refused(std::string(key) + " must be true or false");
}

Outcome<Value> read_dict(Value const& body, std::string_view key) {
  Value const value = body.get(key);
  if (is_null(value)) return Value();
  if (!value.is_dict()) return refused(std::string(key) + " must be an object");
  return value;
}

Outcome<Truncation> read_truncation(Value const& body) {
  Truncation out;
  Value const keep = body.get("truncate_prompt_tokens");
  Value const side = body.get("truncation_side");
  if (!is_null(keep)) {
    if (!keep.is_int() || keep.int64() < -1) return refused("truncate_prompt_tokens must be at least -1");
    out.keep = keep.int64();
  }
  if (!is_null(side)) {
    if (!is_text(side, "left") && !is_text(side, "right")) return refused("truncation_side must be left or right");
    out.side = side.text() == "left" ? Truncation::Side::left : Truncation::Side::right;
  }
  return out;
}

std::optional<std::vector<std::uint32_t>> read_ids(Value const& value) {
  if (!value.is_sequence()) return std::nullopt;
  std::vector<std::uint32_t> ids;
  ids.reserve(value.items().size());
  for (Value const& item : value.items()) {
    bool const fits =
        item.is(jinja::Kind::integer) && item.int64() >= 0 && item.int64() <= std::numeric_limits<std::uint32_t>::max();
    if (!fits) return std::nullopt;
    ids.push_back(static_cast<std::uint32_t>(item.int64()));
  }
  return ids;
}

Value forwarded_ids(Value const& body) {
  Value const ids = body.get("kv_transfer_params").get("prompt_token_ids");
  return is_null(ids) ? Value() : ids;
}

}  // namespace kvgate::text
