#include "text/chat/typed_dict.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.hpp"

namespace kvgate::text {
namespace {

constexpr std::array<std::string_view, 6> kTrueWords{"1", "true", "t", "yes", "y", "on"};
constexpr std::array<std::string_view, 6> kFalseWords{"0", "false", "f", "no", "n", "off"};

std::optional<bool> bool_word(std::string_view text) {
  auto const matches = [&](std::string_view word) { return iequals(word, text); };
  if (std::ranges::any_of(kTrueWords, matches)) return true;
  if (std::ranges::any_of(kFalseWords, matches)) return false;
  return std::nullopt;
}

}  // namespace

int count_fields(std::span<Field const> shape, Value const& value) {
  if (!value.is_dict()) return kInvalid;
  int count = 0;
  for (Field const& field : shape) {
    Value const* found = value.dict().find(field.key);
    if (found == nullptr && field.required) return kInvalid;
    if (found == nullptr) continue;
    int const inner = field.check(*found);
    if (inner == kInvalid) return kInvalid;
    count += 1 + inner;
  }
  return count;
}

int check_text(Value const& value) {
  return value.is_string() ? 0 : kInvalid;
}
int check_text_or_null(Value const& value) {
  return value.is_string() || value.is_none() ? 0 : kInvalid;
}
int check_null(Value const& value) {
  return value.is_none() ? 0 : kInvalid;
}
int check_bool(Value const& value) {
  return lax_bool(value) ? 0 : kInvalid;
}
int check_dict(Value const& value) {
  return value.is_dict() ? 0 : kInvalid;
}
int check_dict_or_null(Value const& value) {
  return value.is_dict() || value.is_none() ? 0 : kInvalid;
}

std::optional<bool> lax_bool(Value const& value) {
  if (value.is(jinja::Kind::boolean)) return value.boolean();
  if (value.is_string()) return bool_word(value.text());
  double number = -1;
  if (value.is_int()) number = static_cast<double>(value.int64());
  if (value.is(jinja::Kind::floating)) number = value.floating();
  if (number == 0 || number == 1) return number == 1;
  return std::nullopt;
}

bool truthy(Value const& value) {
  switch (value.kind()) {
    case jinja::Kind::boolean:
    case jinja::Kind::integer:
      return value.int64() != 0;
    case jinja::Kind::floating:
      return value.floating() != 0;
    case jinja::Kind::string:
    case jinja::Kind::markup:
      return !value.text().empty();
    case jinja::Kind::list:
    case jinja::Kind::tuple:
      return !value.items().empty();
    case jinja::Kind::dict:
      return value.dict().size() != 0;
    default:
      return !is_null(value);
  }
}

jinja::Dict* in_order(std::span<Field const> order, Value const& value, jinja::Arena& arena) {
  jinja::Dict* out = jinja::Dict::create(arena, value.dict().size());
  for (Field const& field : order) {
    if (Value const* found = value.dict().find(field.key)) out->set(arena, field.key, *found);
  }
  for (auto const& entry : value.dict().entries()) out->set(arena, entry.key, entry.value);
  return out;
}

}  // namespace kvgate::text
