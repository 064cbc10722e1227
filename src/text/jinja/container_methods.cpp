#include "text/jinja/container_methods.hpp"

#include <algorithm>
#include <cmath>

#include "text/jinja/dict.hpp"
#include "text/jinja/operators.hpp"
#include "text/jinja/runtime.hpp"
#include "text/jinja/text_functions.hpp"

namespace kvgate::jinja {
namespace {

Value view(Runtime& runtime, Value const& self, Arguments const& arguments, ObjectKind kind) {
  Bound const bound(arguments, {"dict method", {}});
  return Value::object(runtime.arena.create<DictViewObject>(Object{kind}, &self.dict()));
}

std::size_t place(Value const* bound, std::size_t fallback, std::size_t size) {
  if (!bound) return fallback;
  std::int64_t index = int_argument(*bound, "index");
  if (index < 0) index = std::max<std::int64_t>(0, index + static_cast<std::int64_t>(size));
  return std::min(static_cast<std::size_t>(index), size);
}

}  // namespace

Value sequence_copy(Runtime&, Value const& self, Arguments const& arguments) {
  Bound const bound(arguments, {"copy", {}});
  return self;
}

Value sequence_count(Runtime& runtime, Value const& self, Arguments const& arguments) {
  Bound const bound(arguments, {"count", {"value"}, 1, 1});
  auto const items = self.items();
  return Value::integer(
      std::count_if(items.begin(), items.end(), [&](Value const& item) { return equals(runtime, item, *bound[0]); }));
}

Value sequence_index(Runtime& runtime, Value const& self, Arguments const& arguments) {
  Bound const bound(arguments, {"index", {"value", "start", "stop"}, 1, 3});
  auto const items = self.items();
  std::size_t const stop = place(bound[2], items.size(), items.size());
  for (std::size_t i = place(bound[1], 0, items.size()); i < stop; ++i) {
    if (equals(runtime, items[i], *bound[0])) return Value::integer(static_cast<std::int64_t>(i));
  }
  value_error("value is not in list");
}

Value dict_copy(Runtime&, Value const& self, Arguments const& arguments) {
  Bound const bound(arguments, {"copy", {}});
  return self;
}

Value dict_get(Runtime& runtime, Value const& self, Arguments const& arguments) {
  Bound const bound(arguments, {"get", {"key", "default"}, 1, 2});
  Value const& key = *bound[0];
  if (!hashable(key)) type_error("unhashable type: " + quoted(type_name(key)));
  if (key.is_string()) runtime.spend_bytes(key.text().size());
  Value const* found = self.dict().find(key);
  return found ? *found : bound.get(1, Value::none());
}

Value dict_items(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return view(runtime, self, arguments, ObjectKind::dict_items);
}
Value dict_keys(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return view(runtime, self, arguments, ObjectKind::dict_keys);
}
Value dict_values(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return view(runtime, self, arguments, ObjectKind::dict_values);
}

Value float_is_integer(Runtime&, Value const& self, Arguments const& arguments) {
  Bound const bound(arguments, {"is_integer", {}});
  return Value::boolean(std::isfinite(self.floating()) && self.floating() == std::trunc(self.floating()));
}

Value call_loop_method(Runtime& runtime, std::string_view name, LoopObject& loop, Arguments const& arguments) {
  if (!arguments.keywords.empty()) {
    type_error(std::string(name) + "() got an unexpected keyword argument " + quoted(arguments.keywords.front().name));
  }
  auto const& values = arguments.positional;
  if (name == "cycle") {
    if (values.empty()) type_error("no items for cycling given");
    return values[static_cast<std::size_t>(loop.index0) % values.size()];
  }
  Value const current = Value::tuple(runtime.keep(values));
  if (loop.has_changed && equals(runtime, loop.changed, current)) return Value::boolean(false);
  loop.has_changed = true;
  loop.changed = current;
  return Value::boolean(true);
}

Value call_cycler_method(std::string_view name, CyclerObject& cycler) {
  if (name == "reset") {
    cycler.at = 0;
    return Value::none();
  }
  Value const current = cycler.items[cycler.at];
  cycler.at = (cycler.at + 1) % cycler.items.size();
  return current;
}

Value value_attribute(Value const& self, std::string_view name) noexcept {
  if (auto const* range = object_as<RangeObject>(self, ObjectKind::range)) {
    if (name == "start") return Value::integer(range->start);
    if (name == "stop") return Value::integer(range->stop);
    if (name == "step") return Value::integer(range->step);
    return {};
  }
  if (!self.is_number()) return {};
  Value const number = self.is(Kind::boolean) ? Value::integer(self.int64()) : self;
  if (name == "real" || name == "numerator") return number;
  if (name == "imag") return self.is(Kind::floating) ? Value::floating(0.0) : Value::integer(0);
  if (name == "denominator") return Value::integer(1);
  return {};
}

}  // namespace kvgate::jinja
