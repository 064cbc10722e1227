// What every operation of one rendering shares: memory, budgets, clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/arena.hpp"
#include "text/jinja/missing.hpp"
#include "text/jinja/template.hpp"
#include "text/jinja/thrown.hpp"
#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class Runtime {
 public:
  Runtime(Arena& memory, Limits const& limits, WallClock const& clock)
      : arena(memory), steps_left_(limits.steps), max_text_(limits.scratch_bytes), clock_(clock) {}

  /// Throws Thrown when the budget of steps is used up.
  void spend(std::uint64_t steps) {
    if (steps > steps_left_) over_limit("the template takes too many steps");
    steps_left_ -= steps;
  }
  /// For work that looks at so many bytes.
  void spend_bytes(std::size_t bytes) { spend(bytes / 64); }

  /// Throws Thrown if a text or list of so many bytes is more than a template may make.
  void check_size(std::size_t bytes) const {
    if (bytes > max_text_) over_limit("the template makes texts or lists that are too long");
  }

  std::size_t max_text() const noexcept { return max_text_; }

  Value text(std::string_view text) { return Value::string(arena.copy(text)); }
  Value list(std::vector<Value> const& items) { return Value::list(keep(items)); }
  Value tuple(std::initializer_list<Value> items) { return Value::tuple(keep(std::span<Value const>(items))); }
  std::span<Value const> keep(std::span<Value const> items);

  Value undefined(Missing::Why why, std::string_view what, std::string_view owner = {}) {
    return Value::undefined(arena.create<Missing>(why, arena.copy(what), owner));
  }

  /// Whether all of `text` is ASCII. Remembers the last long one, since loops ask again.
  bool is_ascii(std::string_view text);

  LocalTime now() const { return clock_(); }

  Arena& arena;

 private:
  std::uint64_t steps_left_;
  std::size_t max_text_;
  WallClock const& clock_;
  std::string_view ascii_text_;
  bool ascii_ = false;
};

/// A text that grows: bounded by the runtime's limit, kept in its arena in the end.
class TextBuilder {
 public:
  explicit TextBuilder(Runtime& runtime) : runtime_(runtime) {}

  void append(std::string_view text) {
    runtime_.check_size(out_.size() + text.size());
    out_ += text;
  }
  /// `count` times; nothing for a negative count.
  void repeat(std::string_view text, std::int64_t count);
  std::string& raw() noexcept { return out_; }

  Value finish(bool markup = false) {
    runtime_.check_size(out_.size());
    std::string_view const kept = runtime_.arena.copy(out_);
    return markup ? Value::markup(kept) : Value::string(kept);
  }

 private:
  Runtime& runtime_;
  std::string out_;
};

/// `text` as markup if `like` is, else as a string.
inline Value text_like(Value const& like, std::string_view text) {
  return like.is(Kind::markup) ? Value::markup(text) : Value::string(text);
}

}  // namespace kvgate::jinja
