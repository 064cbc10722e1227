#include "text/jinja/attribute_path.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "text/jinja/attributes.hpp"
#include "text/jinja/python_unicode.hpp"
#include "text/jinja/runtime.hpp"
#include "text/jinja/text_functions.hpp"

namespace kvgate::jinja {
namespace {

Value path_part(std::string_view text) {
  bool const digits = !text.empty() && text.size() < 18 &&
                      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) return Value::string(text);
  std::int64_t index = 0;
  std::from_chars(text.data(), text.data() + text.size(), index);
  return Value::integer(index);
}

}  // namespace

Value AttributePath::of(Runtime& runtime, Value item) const {
  for (Value const& part : parts) {
    item = get_item(runtime, item, part);
    if (item.is_undefined() && !fallback.is_none()) item = fallback;
  }
  return fold_case ? jinja::fold_case(runtime, item) : item;
}

AttributePath attribute_path(Runtime& runtime, Value const& attribute) {
  std::vector<Value> parts;
  if (attribute.is_string()) {
    for (std::string_view const part : split_at(attribute.text(), ".", -1)) parts.push_back(path_part(part));
  } else if (!attribute.is_none()) {
    parts.push_back(attribute);
  }
  return {runtime.keep(parts)};
}

Value fold_case(Runtime& runtime, Value const& value) {
  if (!value.is_string()) return value;
  runtime.spend_bytes(8 * value.text().size());
  return text_like(value, runtime.arena.copy(to_lower(value.text())));
}

}  // namespace kvgate::jinja
