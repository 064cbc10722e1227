#include <algorithm>
#include <string>

#include "text/jinja/attribute_path.hpp"
#include "text/jinja/attributes.hpp"
#include "text/jinja/code_points.hpp"
#include "text/jinja/filter_functions.hpp"
#include "text/jinja/iteration.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/operators.hpp"
#include "text/jinja/runtime.hpp"
#include "text/jinja/text_functions.hpp"

namespace kvgate::jinja {
namespace {

/// An iterator over a list that is already there.
struct ListIterator : IteratorObject {
  Iteration items;
};

Value iterate_list(Runtime& runtime, std::span<Value const> items, std::string_view type) {
  auto const advance = [](Runtime& rt, IteratorObject& self, Value& out) {
    return static_cast<ListIterator&>(self).items.next(rt, out);
  };
  IteratorObject const base{{ObjectKind::iterator}, advance, type, 1};
  return Value::object(runtime.arena.create<ListIterator>(base, Iteration(Value::list(items))));
}

// What reversed() takes.
bool reversible(Value const& value) noexcept {
  if (value.is_undefined() || value.is_string() || value.is_sequence() || value.is_dict()) return true;
  if (!value.is(Kind::object)) return false;
  ObjectKind const kind = value.object().kind;
  return kind == ObjectKind::range || kind == ObjectKind::dict_keys || kind == ObjectKind::dict_values ||
         kind == ObjectKind::dict_items;
}

std::string_view reverse_iterator_type(Value const& value) noexcept {
  if (value.is(Kind::list)) return "list_reverseiterator";
  if (value.is_dict() || object_as<Object>(value, ObjectKind::dict_keys)) return "dict_reversekeyiterator";
  if (object_as<Object>(value, ObjectKind::dict_values)) return "dict_reversevalueiterator";
  if (object_as<Object>(value, ObjectKind::dict_items)) return "dict_reverseitemiterator";
  return object_as<Object>(value, ObjectKind::range) ? "range_iterator" : "reversed";
}

std::span<Value const> reversed(Runtime& runtime, Value const& value) {
  std::span<Value const> const items = items_of(runtime, value);
  Value* copy = runtime.arena.allocate_array<Value>(items.size());
  std::reverse_copy(items.begin(), items.end(), copy);
  return {copy, items.size()};
}

Value extreme(Runtime& runtime, Value const& subject, Arguments const& arguments, CompareOp better) {
  Bound const bound(arguments, {"min or max", {"case_sensitive", "attribute"}});
  AttributePath path = attribute_path(runtime, bound.get(1, Value::none()));
  path.fold_case = !bound[0] || !truthy(*bound[0]);
  Iteration iteration(subject);
  Value best;
  if (!iteration.next(runtime, best)) {
    return runtime.undefined(Missing::Why::hint, "No aggregated item, sequence was empty.");
  }
  Value best_key = path.of(runtime, best);
  for (Value item; iteration.next(runtime, item);) {
    Value const key = path.of(runtime, item);
    if (!ordered(runtime, better, key, best_key)) continue;
    best = item;
    best_key = key;
  }
  return best;
}

}  // namespace

Value filter_attr(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_attr", {"name"}, 1});
  return attribute_only(runtime, subject, text_argument(*bound[0], "attr"));
}

Value filter_default(Runtime&, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_default", {"default_value", "boolean"}});
  bool const boolean = bound[1] && truthy(*bound[1]);
  return subject.is_undefined() || (boolean && !truthy(subject)) ? bound.get(0, Value::string("")) : subject;
}

Value filter_first(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_first", {}});
  Iteration iteration(subject);
  Value item;
  if (iteration.next(runtime, item)) return item;
  return runtime.undefined(Missing::Why::hint, "No first item, sequence was empty.");
}

Value filter_last(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_last", {}});
  if (!reversible(subject)) type_error(quoted(type_name(subject)) + " object is not reversible");
  if (subject.is_string() && !subject.text().empty()) {
    return text_like(subject, subject.text().substr(previous(subject.text(), subject.text().size())));
  }
  std::span<Value const> const items = items_of(runtime, subject);
  if (!items.empty()) return items.back();
  return runtime.undefined(Missing::Why::hint, "No last item, sequence was empty.");
}

Value filter_length(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"len", {}});
  std::optional<std::int64_t> const length = length_of(runtime, subject);
  if (!length) type_error("object of type " + quoted(type_name(subject)) + " has no len()");
  return Value::integer(*length);
}

Value filter_list(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_list", {}});
  return Value::list(items_of(runtime, subject));
}

Value filter_max(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  return extreme(runtime, subject, arguments, CompareOp::greater);
}
Value filter_min(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  return extreme(runtime, subject, arguments, CompareOp::less);
}

Value filter_reverse(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_reverse", {}});
  if (subject.is_string()) return slice(runtime, subject, Value::none(), Value::none(), Value::integer(-1));
  if (reversible(subject)) return iterate_list(runtime, reversed(runtime, subject), reverse_iterator_type(subject));
  if (!iterable(subject)) raise("FilterArgumentError", "argument must be iterable");
  return Value::list(reversed(runtime, subject));
}

Value filter_sum(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_sum", {"attribute", "start"}});
  AttributePath const path = attribute_path(runtime, bound.get(0, Value::none()));
  Value total = bound.get(1, Value::integer(0));
  if (total.is_string()) type_error("sum() can't sum strings [use ''.join(seq) instead]");
  Iteration iteration(subject);
  for (Value item; iteration.next(runtime, item);) total = add(runtime, total, path.of(runtime, item));
  return total;
}

}  // namespace kvgate::jinja
