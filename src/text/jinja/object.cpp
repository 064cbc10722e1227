#include "text/jinja/object.hpp"

#include <vector>

#include "text/jinja/runtime.hpp"

namespace kvgate::jinja {
namespace {

struct TypeNames {
  std::string_view name;
  std::string_view object;
};

TypeNames object_type(Object const& object) noexcept {
  switch (object.kind) {
    case ObjectKind::macro:
      return {"Macro", "jinja2.runtime.Macro object"};
    case ObjectKind::function:
      return {"function", "function object"};
    case ObjectKind::method:
      return {"builtin_function_or_method", "builtin_function_or_method object"};
    case ObjectKind::name_space:
      return {"Namespace", "jinja2.utils.Namespace object"};
    case ObjectKind::loop:
      return {"LoopContext", "jinja2.runtime.LoopContext object"};
    case ObjectKind::range:
      return {"range", "range object"};
    case ObjectKind::dict_keys:
      return {"dict_keys", "dict_keys object"};
    case ObjectKind::dict_values:
      return {"dict_values", "dict_values object"};
    case ObjectKind::dict_items:
      return {"dict_items", "dict_items object"};
    case ObjectKind::iterator:
      return {static_cast<IteratorObject const&>(object).type, "generator object"};
    case ObjectKind::cycler:
      return {"Cycler", "jinja2.utils.Cycler object"};
    case ObjectKind::joiner:
      return {"Joiner", "jinja2.utils.Joiner object"};
  }
  return {"object", "object object"};
}

TypeNames type_of(Value const& value) noexcept {
  switch (value.kind()) {
    case Kind::undefined:
      return {"Undefined", "jinja2.runtime.Undefined object"};
    case Kind::none:
      return {"NoneType", "None"};
    case Kind::boolean:
      return {"bool", "bool object"};
    case Kind::integer:
    case Kind::big_integer:
      return {"int", "int object"};
    case Kind::floating:
      return {"float", "float object"};
    case Kind::string:
      return {"str", "str object"};
    case Kind::markup:
      return {"Markup", "markupsafe.Markup object"};
    case Kind::list:
      return {"list", "list object"};
    case Kind::tuple:
      return {"tuple", "tuple object"};
    case Kind::dict:
      return {"dict", "dict object"};
    case Kind::object:
      return object_type(value.object());
  }
  return {"object", "object object"};
}

bool same_items(RangeObject const& a, RangeObject const& b) noexcept {
  std::int64_t const size = a.size();
  return size == b.size() && (size == 0 || (a.start == b.start && (size == 1 || a.step == b.step)));
}

}  // namespace

bool equal_objects(Object const& left, Object const& right) noexcept {
  if (left.kind == ObjectKind::range && right.kind == ObjectKind::range) {
    return same_items(static_cast<RangeObject const&>(left), static_cast<RangeObject const&>(right));
  }
  if (left.kind == ObjectKind::method && right.kind == ObjectKind::method) {
    auto const& a = static_cast<MethodObject const&>(left);
    auto const& b = static_cast<MethodObject const&>(right);
    return a.name == b.name && a.self.kind() == b.self.kind();
  }
  return &left == &right;
}

std::string_view type_name(Value const& value) noexcept {
  return type_of(value).name;
}
std::string_view type_of_object(Value const& value) noexcept {
  return type_of(value).object;
}

std::int64_t RangeObject::size() const noexcept {
  if (step > 0) return start < stop ? (stop - start - 1) / step + 1 : 0;
  return start > stop ? (start - stop - 1) / -step + 1 : 0;
}

bool LoopObject::advance(Runtime& runtime, Value& out) {
  if (has_next) {
    out = next;
    has_next = false;
  } else if (ended || !iteration.next(runtime, out)) {
    ended = true;
    return false;
  }
  ++index0;
  previous = current;
  current = out;
  return true;
}

bool LoopObject::peek(Runtime& runtime) {
  if (has_next) return true;
  if (ended) return false;
  has_next = iteration.next(runtime, next);
  ended = !has_next;
  return has_next;
}

std::int64_t LoopObject::count(Runtime& runtime) {
  if (length >= 0) return length;
  if (sized) {
    length = *length_of(runtime, sequence);
    return length;
  }
  std::vector<Value> rest;
  for (Value item; !ended && iteration.next(runtime, item);) rest.push_back(item);
  length = static_cast<std::int64_t>(rest.size()) + index0 + 1 + (has_next ? 1 : 0);
  iteration = Iteration(runtime.list(rest));
  ended = false;
  return length;
}

}  // namespace kvgate::jinja
