#include "text/jinja/attributes.hpp"

#include <optional>

#include "text/jinja/big_int.hpp"
#include "text/jinja/code_points.hpp"
#include "text/jinja/container_methods.hpp"
#include "text/jinja/dict.hpp"
#include "text/jinja/methods.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/python_text.hpp"
#include "text/jinja/runtime.hpp"

namespace kvgate::jinja {
namespace {

Value unsafe(Runtime& runtime, Value const& object, std::string_view name) {
  return runtime.undefined(Missing::Why::unsafe, "access to attribute " + quoted(name) + " of " +
                                                     quoted(type_name(object)) + " object is unsafe.");
}

Value no_attribute(Runtime& runtime, Value const& object, std::string_view name) {
  return runtime.undefined(Missing::Why::attribute, name, type_of_object(object));
}

Value loop_attribute(Runtime& runtime, LoopObject& loop, std::string_view name, bool& found) {
  found = true;
  if (name == "index") return Value::integer(loop.index0 + 1);
  if (name == "index0") return Value::integer(loop.index0);
  if (name == "first") return Value::boolean(loop.index0 == 0);
  if (name == "last") return Value::boolean(!loop.peek(runtime));
  if (name == "length") return Value::integer(loop.count(runtime));
  if (name == "revindex") return Value::integer(loop.count(runtime) - loop.index0);
  if (name == "revindex0") return Value::integer(loop.count(runtime) - loop.index0 - 1);
  if (name == "depth") return Value::integer(loop.depth0 + 1);
  if (name == "depth0") return Value::integer(loop.depth0);
  if (name == "previtem") {
    if (loop.index0 > 0) return loop.previous;
    return runtime.undefined(Missing::Why::hint, "there is no previous item");
  }
  if (name == "nextitem") {
    if (loop.peek(runtime)) return loop.next;
    return runtime.undefined(Missing::Why::hint, "there is no next item");
  }
  found = false;
  return {};
}

Value macro_attribute(Runtime& runtime, MacroBody const& macro, std::string_view name, bool& found) {
  found = true;
  if (name == "name") return macro.name.empty() ? Value::none() : Value::string(macro.name);
  if (name == "catch_kwargs") return Value::boolean(macro.takes_kwargs);
  if (name == "catch_varargs") return Value::boolean(macro.takes_varargs);
  if (name == "caller") return Value::boolean(macro.takes_caller);
  if (name == "arguments") {
    std::vector<Value> names;
    for (Parameter const& parameter : macro.parameters) names.push_back(Value::string(parameter.name));
    return Value::tuple(runtime.keep(names));
  }
  found = false;
  return {};
}

Value method_of(Runtime& runtime, Value const& object, MethodName const& method) {
  if (method.unsafe == on_everything || (method.unsafe & owner_of(object))) return unsafe(runtime, object, method.name);
  Value const value = value_attribute(object, method.name);
  if (!value.is_undefined()) return value;
  auto* bound = runtime.arena.create<MethodObject>(Object{ObjectKind::method}, object, &method);
  return Value::object(bound);
}

// getattr(object, name), already knowing the method of that name, if any.
std::optional<Value> python_attribute(Runtime& runtime, Value const& object, std::string_view name,
                                      MethodName const* method) {
  if (object.is_undefined() && !(method && method->owners == on_everything)) raise_undefined(object.why_undefined());
  bool const owned = method && (method->owners == on_everything || (method->owners & owner_of(object)));
  if (owned) return method_of(runtime, object, *method);
  if (object.is(Kind::object)) {
    bool found = false;
    Value value;
    if (auto* space = object_as<NamespaceObject>(object, ObjectKind::name_space)) {
      Value const* attribute = space->attributes->find(name);
      if (attribute) return name.starts_with('_') ? unsafe(runtime, object, name) : *attribute;
    } else if (auto* loop = object_as<LoopObject>(object, ObjectKind::loop)) {
      value = loop_attribute(runtime, *loop, name, found);
    } else if (auto* macro = object_as<MacroObject>(object, ObjectKind::macro)) {
      value = macro_attribute(runtime, *macro->macro, name, found);
    } else if (auto* cycler = object_as<CyclerObject>(object, ObjectKind::cycler)) {
      if (name == "current") return cycler->items[cycler->at];
    }
    if (found) return value;
  }
  if (object.is_group() && name == "grouper") return object.items()[0];
  if (object.is_group() && name == "list") return object.items()[1];
  return std::nullopt;
}

// object[index] with an integer.
std::optional<Value> item_at(Runtime& runtime, Value const& object, std::int64_t index) {
  if (object.is_sequence()) {
    auto const size = static_cast<std::int64_t>(object.items().size());
    if (index < 0) index += size;
    if (index < 0 || index >= size) return std::nullopt;
    return object.items()[static_cast<std::size_t>(index)];
  }
  if (object.is_string()) {
    std::string_view const text = object.text();
    bool const ascii = runtime.is_ascii(text);
    runtime.spend_bytes(ascii ? 0 : text.size());
    auto const size = static_cast<std::int64_t>(ascii ? text.size() : length(text));
    if (index < 0) index += size;
    if (index < 0 || index >= size) return std::nullopt;
    std::size_t const at = ascii ? static_cast<std::size_t>(index) : byte_offset(text, static_cast<std::size_t>(index));
    return text_like(object, text.substr(at, width_at(text, at)));
  }
  if (auto const* range = object_as<RangeObject>(object, ObjectKind::range)) {
    std::int64_t const size = range->size();
    if (index < 0) index += size;
    if (index < 0 || index >= size) return std::nullopt;
    return Value::integer(range->start + index * range->step);
  }
  return std::nullopt;
}

// object[key] without the fallback to attributes.
std::optional<Value> python_item(Runtime& runtime, Value const& object, Value const& key) {
  if (object.is_dict()) {
    if (key.is_string()) runtime.spend_bytes(key.text().size());
    Value const* found = hashable(key) ? object.dict().find(key) : nullptr;
    return found ? std::optional<Value>(*found) : std::nullopt;
  }
  return key.is_int() ? item_at(runtime, object, key.int64()) : std::nullopt;
}

}  // namespace

Value get_attribute(Runtime& runtime, Value const& object, AttributeExpr const& attribute) {
  if (object.is_dict()) {
    bool const method = attribute.method && (attribute.method->owners & on_dict);
    if (!method) {
      Value const* found = object.dict().find(attribute.name);
      return found ? *found : Value::undefined(attribute.missing_in_dict);
    }
  }
  if (auto value = python_attribute(runtime, object, attribute.name, attribute.method)) return *value;
  return no_attribute(runtime, object, attribute.name);
}

Value get_attribute(Runtime& runtime, Value const& object, std::string_view name) {
  if (auto value = python_attribute(runtime, object, name, find_method(name))) return *value;
  if (auto value = python_item(runtime, object, Value::string(name))) return *value;
  return no_attribute(runtime, object, name);
}

Value get_item(Runtime& runtime, Value const& object, Value const& key) {
  if (object.is_undefined()) raise_undefined(object.why_undefined());
  if (auto value = python_item(runtime, object, key)) return *value;
  if (!key.is_string()) return runtime.undefined(Missing::Why::element, repr_of(runtime, key), type_of_object(object));
  if (auto value = python_attribute(runtime, object, key.text(), find_method(key.text()))) return *value;
  return no_attribute(runtime, object, key.text());
}

Value attribute_only(Runtime& runtime, Value const& object, std::string_view name) {
  if (auto value = python_attribute(runtime, object, name, find_method(name))) return *value;
  return no_attribute(runtime, object, name);
}

}  // namespace kvgate::jinja
