#include <algorithm>

#include "text/jinja/big_int.hpp"
#include "text/jinja/code_points.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/operators.hpp"
#include "text/jinja/runtime.hpp"

namespace kvgate::jinja {
namespace {

/// start, stop and step as Python clips them to a length.
struct Bounds {
  std::int64_t start;
  std::int64_t stop;
  std::int64_t step;

  std::int64_t count() const noexcept {
    if (step > 0) return start < stop ? (stop - start - 1) / step + 1 : 0;
    return stop < start ? (start - stop - 1) / -step + 1 : 0;
  }
};

std::int64_t bound(Value const& value) {
  if (value.is_int()) return value.int64();
  if (value.is(Kind::big_integer)) return value.big().negative ? INT64_MIN : INT64_MAX;
  type_error("slice indices must be integers or None or have an __index__ method");
}

std::int64_t clip(Value const& value, std::int64_t fallback, std::int64_t length, bool backward) {
  if (value.is_none()) return fallback;
  std::int64_t index = bound(value);
  std::int64_t const lowest = backward ? -1 : 0;
  std::int64_t const highest = backward ? length - 1 : length;
  if (index < 0) index = index < -length ? lowest : index + length;
  return std::clamp(index, lowest, std::max(lowest, highest));
}

Bounds bounds_of(Value const& start, Value const& stop, Value const& step, std::int64_t length) {
  Bounds bounds{0, length, step.is_none() ? 1 : bound(step)};
  if (bounds.step == 0) value_error("slice step cannot be zero");
  bounds.step = std::max(bounds.step, -INT64_MAX);
  bool const backward = bounds.step < 0;
  bounds.start = clip(start, backward ? length - 1 : 0, length, backward);
  bounds.stop = clip(stop, backward ? -1 : length, length, backward);
  return bounds;
}

Value slice_items(Runtime& runtime, Value const& value, Bounds const& bounds) {
  auto const items = value.items();
  auto const count = static_cast<std::size_t>(bounds.count());
  std::span<Value const> part;
  if (bounds.step == 1) {
    if (count > 0) part = items.subspan(static_cast<std::size_t>(bounds.start), count);
  } else {
    runtime.spend(count / 16);
    Value* copy = runtime.arena.allocate_array<Value>(count);
    for (std::size_t i = 0; i < count; ++i) {
      copy[i] = items[static_cast<std::size_t>(bounds.start + static_cast<std::int64_t>(i) * bounds.step)];
    }
    part = {copy, count};
  }
  return value.is(Kind::list) ? Value::list(part) : Value::tuple(part);
}

// By code points, all of them indexed first.
Value slice_characters(Runtime& runtime, Value const& value, Bounds const& bounds) {
  std::string_view const text = value.text();
  std::vector<std::size_t> offsets;
  for (std::size_t at = 0; at < text.size(); at += width_at(text, at)) offsets.push_back(at);
  TextBuilder out(runtime);
  for (std::int64_t i = 0, at = bounds.start; i < bounds.count(); ++i, at += bounds.step) {
    std::size_t const begin = offsets[static_cast<std::size_t>(at)];
    out.append(text.substr(begin, width_at(text, begin)));
  }
  return out.finish(value.is(Kind::markup));
}

Value slice_text(Runtime& runtime, Value const& value, Value const& start, Value const& stop, Value const& step) {
  std::string_view const text = value.text();
  bool const ascii = runtime.is_ascii(text);
  runtime.spend_bytes(ascii ? 0 : text.size());
  auto const size = static_cast<std::int64_t>(ascii ? text.size() : length(text));
  Bounds const bounds = bounds_of(start, stop, step, size);
  if (bounds.step != 1) {
    runtime.spend_bytes(text.size());
    return slice_characters(runtime, value, bounds);
  }
  auto const first = static_cast<std::size_t>(bounds.start), count = static_cast<std::size_t>(bounds.count());
  if (ascii) return text_like(value, text.substr(std::min(first, text.size()), count));
  std::string_view const rest = text.substr(byte_offset(text, first));
  return text_like(value, rest.substr(0, byte_offset(rest, count)));
}

}  // namespace

Value slice(Runtime& runtime, Value const& value, Value const& start, Value const& stop, Value const& step) {
  if (value.is_string()) return slice_text(runtime, value, start, stop, step);
  if (value.is_sequence()) {
    auto const length = static_cast<std::int64_t>(value.items().size());
    return slice_items(runtime, value, bounds_of(start, stop, step, length));
  }
  if (auto const* range = object_as<RangeObject>(value, ObjectKind::range)) {
    Bounds const bounds = bounds_of(start, stop, step, range->size());
    return Value::object(
        runtime.arena.create<RangeObject>(Object{ObjectKind::range}, range->start + bounds.start * range->step,
                                          range->start + bounds.stop * range->step, range->step * bounds.step));
  }
  if (value.is_undefined()) raise_undefined(value.why_undefined());
  if (value.is_dict()) type_error("unhashable type: 'slice'");
  type_error(quoted(type_name(value)) + " object is not subscriptable");
}

}  // namespace kvgate::jinja
