// What only templates make. All of it lives in the arena of one rendering.
#pragma once

#include <cstdint>
#include <string_view>

#include "text/jinja/iteration.hpp"
#include "text/jinja/value.hpp"

namespace kvgate::jinja {

struct Arguments;
struct Activation;
struct ForStmt;
struct MacroBody;
struct MethodName;
class Runtime;

enum class ObjectKind : std::uint8_t {
  macro,
  function,  ///< range, namespace, raise_exception, ...
  method,    ///< a method with the value that it was taken from
  name_space,
  loop,
  range,
  dict_keys,
  dict_values,
  dict_items,
  iterator,
  cycler,
  joiner,
};

struct Object {
  ObjectKind kind;
};

struct MacroObject : Object {
  MacroBody const* macro;
  Activation* outer;  ///< where the macro was defined
};

struct FunctionObject : Object {
  std::string_view name;
  Value (*call)(Runtime&, Arguments const&);  ///< null: known, but not supported
};

struct MethodObject : Object {
  Value self;
  MethodName const* name;
};

struct NamespaceObject : Object {
  Dict* attributes;
};

struct RangeObject : Object {
  std::int64_t start;
  std::int64_t stop;
  std::int64_t step;

  std::int64_t size() const noexcept;
};

struct DictViewObject : Object {
  Dict const* dict;
};

/// A generator or other one-pass iterator.
struct IteratorObject : Object {
  bool (*advance)(Runtime&, IteratorObject&, Value& out);
  std::string_view type;  ///< Python's name of it
  std::uint32_t depth;    ///< generators that feed each other
};

struct CyclerObject : Object {
  std::span<Value const> items;
  std::size_t at;
};

struct JoinerObject : Object {
  Value separator;
  bool used;
};

/// `loop` inside of a for loop.
struct LoopObject : Object {
  Iteration iteration;
  Value sequence;  ///< undefined if it has no length of its own (a filtered loop)
  bool sized = false;
  std::int64_t index0 = -1;
  std::int64_t length = -1;  ///< -1: not asked yet
  bool has_next = false;     ///< `next` was read ahead
  bool ended = false;
  Value next;
  Value current;
  Value previous;
  bool has_changed = false;
  Value changed;  ///< the tuple of the last loop.changed()
  std::int64_t depth0 = 0;
  ForStmt const* stmt = nullptr;
  Activation* activation = nullptr;  ///< of the function that the loop stands in

  bool advance(Runtime& runtime, Value& out);
  bool peek(Runtime& runtime);
  std::int64_t count(Runtime& runtime);
};

bool equal_objects(Object const& left, Object const& right) noexcept;

/// The object that `value` holds if it is of that kind, else null.
template <class T>
T* object_as(Value const& value, ObjectKind kind) noexcept {
  return value.is(Kind::object) && value.object().kind == kind ? static_cast<T*>(&value.object()) : nullptr;
}

/// type(value).__name__
std::string_view type_name(Value const& value) noexcept;
/// As Jinja names the type in messages: "dict object", "markupsafe.Markup object", "None".
std::string_view type_of_object(Value const& value) noexcept;

}  // namespace kvgate::jinja
