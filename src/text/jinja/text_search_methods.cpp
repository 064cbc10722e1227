#include <algorithm>
#include <string>

#include "text/jinja/code_points.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/runtime.hpp"
#include "text/jinja/text_functions.hpp"
#include "text/jinja/text_methods.hpp"

namespace kvgate::jinja {
namespace {

constexpr std::size_t kNotFound = std::string_view::npos;

/// The part of a text between the optional arguments start and end.
struct Window {
  std::string_view text;
  std::size_t offset = 0;  ///< of its first code point
  bool valid = true;       ///< start is not past the end; else even "" is not in it
};

Window window_of(std::string_view text, Value const* start, Value const* end) {
  if (!start && !end) return {text};
  auto const size = static_cast<std::int64_t>(length(text));
  auto const place = [size](Value const* bound, std::int64_t fallback) {
    if (!bound || bound->is_none()) return fallback;
    std::int64_t index =
        bound->is(Kind::big_integer) ? (fallback == 0 ? size + 1 : size) : int_argument(*bound, "slice");
    if (index < 0) index = std::max<std::int64_t>(0, index + size);
    return index;
  };
  std::int64_t const first = place(start, 0), last = std::min(place(end, size), size);
  if (first > size || first > last) return {{}, 0, false};
  std::size_t const begin = byte_offset(text, static_cast<std::size_t>(first));
  std::size_t const stop = byte_offset(text, static_cast<std::size_t>(last));
  return {text.substr(begin, stop - begin), static_cast<std::size_t>(first)};
}

Value search(Runtime& runtime, Value const& self, Arguments const& arguments, std::string_view function,
             bool backward) {
  Bound const bound(arguments, {function, {"sub", "start", "end"}, 1, 3});
  std::string_view const sub = text_argument(*bound[0], function);
  runtime.spend_bytes(2 * self.text().size());
  Window const window = window_of(self.text(), bound[1], bound[2]);
  if (!window.valid) return Value::integer(-1);
  std::size_t const at = backward ? window.text.rfind(sub) : window.text.find(sub);
  if (at == kNotFound) return Value::integer(-1);
  return Value::integer(static_cast<std::int64_t>(window.offset + length(window.text.substr(0, at))));
}

Value search_or_fail(Runtime& runtime, Value const& self, Arguments const& arguments, std::string_view function,
                     bool backward) {
  Value const at = search(runtime, self, arguments, function, backward);
  if (at.int64() < 0) value_error("substring not found");
  return at;
}

template <class Fits>
Value affix(Runtime& runtime, Value const& self, Arguments const& arguments, std::string_view function, Fits fits) {
  Bound const bound(arguments, {function, {"prefix", "start", "end"}, 1, 3});
  runtime.spend_bytes(bound[1] ? self.text().size() : 0);
  Window const window = window_of(self.text(), bound[1], bound[2]);
  auto const matches = [&](Value const& candidate) {
    if (!candidate.is_string()) {
      type_error(std::string(function) + " first arg must be str or a tuple of str, not " +
                 std::string(type_name(candidate)));
    }
    return window.valid && fits(window.text, candidate.text());
  };
  if (!bound[0]->is(Kind::tuple)) return Value::boolean(matches(*bound[0]));
  auto const candidates = bound[0]->items();
  runtime.spend(candidates.size());
  return Value::boolean(std::any_of(candidates.begin(), candidates.end(), matches));
}

}  // namespace

Value text_count(Runtime& runtime, Value const& self, Arguments const& arguments) {
  Bound const bound(arguments, {"count", {"sub", "start", "end"}, 1, 3});
  std::string_view const sub = text_argument(*bound[0], "count");
  runtime.spend_bytes(2 * self.text().size());
  Window const window = window_of(self.text(), bound[1], bound[2]);
  if (!window.valid) return Value::integer(0);
  if (sub.empty()) return Value::integer(static_cast<std::int64_t>(length(window.text)) + 1);
  std::int64_t count = 0;
  for (std::size_t at = window.text.find(sub); at != kNotFound; at = window.text.find(sub, at + sub.size())) ++count;
  return Value::integer(count);
}

Value text_find(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return search(runtime, self, arguments, "find", false);
}
Value text_rfind(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return search(runtime, self, arguments, "rfind", true);
}
Value text_index(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return search_or_fail(runtime, self, arguments, "index", false);
}
Value text_rindex(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return search_or_fail(runtime, self, arguments, "rindex", true);
}

Value text_startswith(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return affix(runtime, self, arguments, "startswith",
               [](std::string_view text, std::string_view prefix) { return text.starts_with(prefix); });
}
Value text_endswith(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return affix(runtime, self, arguments, "endswith",
               [](std::string_view text, std::string_view suffix) { return text.ends_with(suffix); });
}

}  // namespace kvgate::jinja
