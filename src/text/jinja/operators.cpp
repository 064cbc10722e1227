#include "text/jinja/operators.hpp"

#include <algorithm>
#include <string>

#include "text/jinja/big_int.hpp"
#include "text/jinja/code_points.hpp"
#include "text/jinja/compare.hpp"
#include "text/jinja/dict.hpp"
#include "text/jinja/iteration.hpp"
#include "text/jinja/markup.hpp"
#include "text/jinja/numbers.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/percent_format.hpp"
#include "text/jinja/runtime.hpp"

namespace kvgate::jinja {
namespace {

std::string_view symbol(ExprKind kind) noexcept {
  switch (kind) {
    case ExprKind::subtract:
      return "-";
    case ExprKind::multiply:
      return "*";
    case ExprKind::divide:
      return "/";
    case ExprKind::floor_divide:
      return "//";
    case ExprKind::modulo:
      return "%";
    case ExprKind::power:
      return "** or pow()";
    default:
      return "+";
  }
}

Value add_texts(Runtime& runtime, Value const& left, Value const& right) {
  bool const markup = left.is(Kind::markup) || right.is(Kind::markup);
  std::string_view const a = markup ? escape(runtime, left).text() : left.text();
  std::string_view const b = markup ? escape(runtime, right).text() : right.text();
  runtime.check_size(a.size() + b.size());
  char* out = static_cast<char*>(runtime.arena.allocate(a.size() + b.size()));
  std::copy(a.begin(), a.end(), out);
  std::copy(b.begin(), b.end(), out + a.size());
  std::string_view const text(out, a.size() + b.size());
  return markup ? Value::markup(text) : Value::string(text);
}

Value add_sequences(Runtime& runtime, Value const& left, Value const& right) {
  auto const a = left.items(), b = right.items();
  runtime.check_size(a.size_bytes() + b.size_bytes());
  runtime.spend((a.size() + b.size()) / 16);
  Value* items = runtime.arena.allocate_array<Value>(a.size() + b.size());
  std::copy(b.begin(), b.end(), std::copy(a.begin(), a.end(), items));
  std::span<Value const> const joined(items, a.size() + b.size());
  return left.is(Kind::list) ? Value::list(joined) : Value::tuple(joined);
}

// How often a text or list is repeated; bounded by what it may become.
std::size_t repetitions(Runtime& runtime, Value const& count, std::size_t bytes_each) {
  if (count.is(Kind::big_integer)) raise("OverflowError", "cannot fit 'int' into an index-sized integer");
  if (count.int64() <= 0 || bytes_each == 0) return 0;
  auto const times = static_cast<std::size_t>(count.int64());
  if (times > (std::size_t{1} << 40)) runtime.check_size(Arena::unlimited);
  runtime.check_size(times * bytes_each);
  runtime.spend_bytes(times * bytes_each);
  return times;
}

Value repeat(Runtime& runtime, Value const& value, Value const& count) {
  if (value.is_string()) {
    std::size_t const times = repetitions(runtime, count, value.text().size());
    char* const out = static_cast<char*>(runtime.arena.allocate(times * value.text().size()));
    char* end = out;
    for (std::size_t i = 0; i < times; ++i) end = std::copy(value.text().begin(), value.text().end(), end);
    return text_like(value, {out, static_cast<std::size_t>(end - out)});
  }
  std::size_t const times = repetitions(runtime, count, value.items().size_bytes());
  Value* const items = runtime.arena.allocate_array<Value>(times * value.items().size());
  Value* end = items;
  for (std::size_t i = 0; i < times; ++i) end = std::copy(value.items().begin(), value.items().end(), end);
  std::span<Value const> const all(items, static_cast<std::size_t>(end - items));
  return value.is(Kind::list) ? Value::list(all) : Value::tuple(all);
}

bool repeatable(Value const& value) noexcept {
  return value.is_string() || value.is_sequence();
}
bool is_integer(Value const& value) noexcept {
  return value.is_int() || value.is(Kind::big_integer);
}

std::string_view symbol(CompareOp op) noexcept {
  switch (op) {
    case CompareOp::less:
      return "<";
    case CompareOp::less_equal:
      return "<=";
    case CompareOp::greater:
      return ">";
    default:
      return ">=";
  }
}

bool decide(CompareOp op, int order) noexcept {
  if (order == 2) return false;  // NaN
  switch (op) {
    case CompareOp::less:
      return order < 0;
    case CompareOp::less_equal:
      return order <= 0;
    case CompareOp::greater:
      return order > 0;
    default:
      return order >= 0;
  }
}

bool ordered_at(Runtime& runtime, CompareOp op, Value const& left, Value const& right, int depth);

// By the first items that differ; then by length.
bool ordered_items(Runtime& runtime, CompareOp op, Value const& left, Value const& right, int depth) {
  if (depth > 200) raise("RecursionError", "maximum recursion depth exceeded in comparison");
  auto const a = left.items(), b = right.items();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (!equals(runtime, a[i], b[i])) return ordered_at(runtime, op, a[i], b[i], depth + 1);
  }
  return decide(op, a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0);
}

bool ordered_at(Runtime& runtime, CompareOp op, Value const& left, Value const& right, int depth) {
  runtime.spend(1);
  if (left.is_string() && right.is_string()) {
    runtime.spend_bytes(std::min(left.text().size(), right.text().size()));
    int const order = left.text().compare(right.text());
    return decide(op, (order > 0) - (order < 0));
  }
  if (left.is_number() && right.is_number()) return decide(op, compare_numbers(left, right));
  if (left.is_sequence() && left.kind() == right.kind()) return ordered_items(runtime, op, left, right, depth);
  if (left.is_undefined()) raise_undefined(left.why_undefined());
  if (right.is_undefined()) raise_undefined(right.why_undefined());
  type_error(quoted(symbol(op)) + " not supported between instances of " + quoted(type_name(left)) + " and " +
             quoted(type_name(right)));
}

bool contains_item(Runtime& runtime, Value const& container, Value const& item) {
  Iteration iteration(container);
  for (Value candidate; iteration.next(runtime, candidate);) {
    if (equals(runtime, candidate, item)) return true;
  }
  return false;
}

bool contains_key(Runtime& runtime, Dict const& dict, Value const& key) {
  if (!hashable(key)) type_error("unhashable type: " + quoted(type_name(key)));
  if (key.is_string()) runtime.spend_bytes(key.text().size());
  return dict.find(key) != nullptr;
}

}  // namespace

void bad_operands(std::string_view op, Value const& left, Value const& right) {
  if (left.is_undefined()) raise_undefined(left.why_undefined());
  if (right.is_undefined()) raise_undefined(right.why_undefined());
  type_error("unsupported operand type(s) for " + std::string(op) + ": " + quoted(type_name(left)) + " and " +
             quoted(type_name(right)));
}

bool truthy(Value const& value) noexcept {
  switch (value.kind()) {
    case Kind::undefined:
    case Kind::none:
      return false;
    case Kind::boolean:
    case Kind::integer:
      return value.int64() != 0;
    case Kind::big_integer:
      return true;
    case Kind::floating:
      return value.floating() != 0;
    case Kind::string:
    case Kind::markup:
      return !value.text().empty();
    case Kind::list:
    case Kind::tuple:
      return !value.items().empty();
    case Kind::dict:
      return value.dict().size() != 0;
    case Kind::object:
      break;
  }
  switch (value.object().kind) {
    case ObjectKind::range:
      return static_cast<RangeObject const&>(value.object()).size() != 0;
    case ObjectKind::dict_keys:
    case ObjectKind::dict_values:
    case ObjectKind::dict_items:
      return static_cast<DictViewObject const&>(value.object()).dict->size() != 0;
    default:
      return true;
  }
}

Value add(Runtime& runtime, Value const& left, Value const& right) {
  if (left.is_string() && right.is_string()) return add_texts(runtime, left, right);
  if (left.is_number() && right.is_number()) return number_arithmetic(runtime, ExprKind::add, left, right);
  if (left.is_sequence() && left.kind() == right.kind()) return add_sequences(runtime, left, right);
  if (right.is_undefined()) raise_undefined(right.why_undefined());
  if (left.is(Kind::string)) {
    type_error("can only concatenate str (not \"" + std::string(type_name(right)) + "\") to str");
  }
  if (left.is_sequence()) {
    std::string const type(type_name(left));
    type_error("can only concatenate " + type + " (not \"" + std::string(type_name(right)) + "\") to " + type);
  }
  bad_operands("+", left, right);
}

Value arithmetic(Runtime& runtime, ExprKind kind, Value const& left, Value const& right) {
  if (kind == ExprKind::modulo && left.is_string()) return percent_format(runtime, left, right);
  if (left.is_number() && right.is_number()) return number_arithmetic(runtime, kind, left, right);
  if (kind == ExprKind::multiply) {
    if (repeatable(left) && is_integer(right)) return repeat(runtime, left, right);
    if (repeatable(right) && is_integer(left)) return repeat(runtime, right, left);
    if (right.is_undefined()) raise_undefined(right.why_undefined());
    if (repeatable(left)) {
      type_error("can't multiply sequence by non-int of type " + quoted(type_name(right)));
    }
  }
  bad_operands(symbol(kind), left, right);
}

Value negate(Runtime& runtime, Value const& value) {
  if (value.is(Kind::floating)) return Value::floating(-value.floating());
  if (value.is_number()) return number_arithmetic(runtime, ExprKind::subtract, Value::integer(0), value);
  if (value.is_undefined()) raise_undefined(value.why_undefined());
  type_error("bad operand type for unary -: " + quoted(type_name(value)));
}

Value plus(Value const& value) {
  if (value.is(Kind::boolean)) return Value::integer(value.int64());
  if (value.is_number()) return value;
  if (value.is_undefined()) raise_undefined(value.why_undefined());
  type_error("bad operand type for unary +: " + quoted(type_name(value)));
}

bool equals(Runtime& runtime, Value const& left, Value const& right) {
  std::uint64_t work = 0;
  bool const result = equal(left, right, work);
  runtime.spend(work);
  return result;
}

bool ordered(Runtime& runtime, CompareOp op, Value const& left, Value const& right) {
  return ordered_at(runtime, op, left, right, 0);
}

bool contains(Runtime& runtime, Value const& container, Value const& item) {
  if (container.is_string()) {
    if (!item.is_string()) {
      type_error("'in <string>' requires string as left operand, not " + std::string(type_name(item)));
    }
    runtime.spend_bytes(container.text().size());
    return container.text().find(item.text()) != std::string_view::npos;
  }
  if (container.is_dict()) return contains_key(runtime, container.dict(), item);
  if (auto const* keys = object_as<DictViewObject>(container, ObjectKind::dict_keys)) {
    return contains_key(runtime, *keys->dict, item);
  }
  if (!iterable(container)) type_error("argument of type " + quoted(type_name(container)) + " is not iterable");
  return contains_item(runtime, container, item);
}

}  // namespace kvgate::jinja
