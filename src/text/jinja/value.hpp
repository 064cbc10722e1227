// The values that templates work with: Python's, as far as templates can tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "text/jinja/arena.hpp"

namespace kvgate::jinja {

class Dict;
struct BigInt;
struct Object;
struct Missing;

enum class Kind : std::uint8_t {
  undefined,
  none,
  boolean,
  integer,      ///< fits 64 bits
  big_integer,  ///< does not
  floating,
  string,
  markup,  ///< a string that is safe in HTML (`|safe`): it escapes what is added to it
  list,
  tuple,
  dict,
  object,  ///< what only templates make: functions, namespaces, iterators, ...
};

/// One value: 16 bytes, copied freely. Text, items and entries are referred to, not owned: they live in an Arena, in
/// the caller's text or in a compiled template, and do not change. Strings are UTF-8 (valid: parse_json checks) and are
/// counted in code points by templates.
class Value {
 public:
  constexpr Value() noexcept : kind_(Kind::undefined), missing_(nullptr) {}

  static Value none() noexcept { return Value(Kind::none); }
  static Value boolean(bool b) noexcept;
  static Value integer(std::int64_t i) noexcept;
  static Value big_integer(BigInt const* i) noexcept;
  static Value floating(double d) noexcept;
  /// Refers to `text`; Value::string(arena.copy(text)) owns a copy.
  static Value string(std::string_view text) noexcept;
  static Value markup(std::string_view text) noexcept;
  static Value list(std::span<Value const> items) noexcept;
  static Value tuple(std::span<Value const> items) noexcept;
  /// What |groupby gives: a tuple whose items are also called `grouper` and `list`.
  static Value group(std::span<Value const> items) noexcept;
  static Value dict(Dict const* dict) noexcept;
  static Value object(Object* object) noexcept;
  static Value undefined(Missing const* why) noexcept;

  Kind kind() const noexcept { return kind_; }
  bool is(Kind kind) const noexcept { return kind_ == kind; }
  bool is_undefined() const noexcept { return kind_ == Kind::undefined; }
  bool is_none() const noexcept { return kind_ == Kind::none; }
  bool is_string() const noexcept { return kind_ == Kind::string || kind_ == Kind::markup; }
  bool is_dict() const noexcept { return kind_ == Kind::dict; }
  bool is_sequence() const noexcept { return kind_ == Kind::list || kind_ == Kind::tuple; }
  bool is_group() const noexcept { return group_; }
  bool is_int() const noexcept { return kind_ == Kind::integer || kind_ == Kind::boolean; }  ///< int64() may be asked
  bool is_number() const noexcept { return kind_ >= Kind::boolean && kind_ <= Kind::floating; }

  // Each only for values of that kind.
  bool boolean() const noexcept { return integer_ != 0; }
  std::int64_t int64() const noexcept { return integer_; }
  BigInt const& big() const noexcept { return *big_; }
  double floating() const noexcept { return floating_; }
  std::string_view text() const noexcept { return {text_, size_}; }
  std::span<Value const> items() const noexcept { return {items_, size_}; }
  Dict const& dict() const noexcept { return *dict_; }
  Object& object() const noexcept { return *object_; }
  Missing const* why_undefined() const noexcept { return missing_; }

  /// The value under `key` if this is a dict that has it, else an undefined value.
  Value get(std::string_view key) const noexcept;

 private:
  constexpr explicit Value(Kind kind) noexcept : kind_(kind), missing_(nullptr) {}

  Kind kind_;
  bool group_ = false;
  std::uint32_t size_ = 0;  ///< bytes of text, or items
  union {
    std::int64_t integer_;
    double floating_;
    BigInt const* big_;
    char const* text_;
    Value const* items_;
    Dict const* dict_;
    Object* object_;
    Missing const* missing_;
  };
};

static_assert(sizeof(Value) == 16);

inline Value Value::boolean(bool b) noexcept {
  Value v(Kind::boolean);
  v.integer_ = b ? 1 : 0;
  return v;
}
inline Value Value::integer(std::int64_t i) noexcept {
  Value v(Kind::integer);
  v.integer_ = i;
  return v;
}
inline Value Value::big_integer(BigInt const* i) noexcept {
  Value v(Kind::big_integer);
  v.big_ = i;
  return v;
}
inline Value Value::floating(double d) noexcept {
  Value v(Kind::floating);
  v.floating_ = d;
  return v;
}
inline Value Value::string(std::string_view text) noexcept {
  Value v(Kind::string);
  v.size_ = static_cast<std::uint32_t>(text.size());
  v.text_ = text.data();
  return v;
}
inline Value Value::markup(std::string_view text) noexcept {
  Value v = string(text);
  v.kind_ = Kind::markup;
  return v;
}
inline Value Value::list(std::span<Value const> items) noexcept {
  Value v(Kind::list);
  v.size_ = static_cast<std::uint32_t>(items.size());
  v.items_ = items.data();
  return v;
}
inline Value Value::tuple(std::span<Value const> items) noexcept {
  Value v = list(items);
  v.kind_ = Kind::tuple;
  return v;
}
inline Value Value::group(std::span<Value const> items) noexcept {
  Value v = tuple(items);
  v.group_ = true;
  return v;
}
inline Value Value::dict(Dict const* dict) noexcept {
  Value v(Kind::dict);
  v.dict_ = dict;
  return v;
}
inline Value Value::object(Object* object) noexcept {
  Value v(Kind::object);
  v.object_ = object;
  return v;
}
inline Value Value::undefined(Missing const* why) noexcept {
  Value v;
  v.missing_ = why;
  return v;
}

}  // namespace kvgate::jinja
