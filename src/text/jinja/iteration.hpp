// Python's iteration over anything that can be iterated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "text/jinja/dict.hpp"
#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class Runtime;
struct IteratorObject;

/// One pass over a value. Trivially copyable: generators keep one in the arena.
class Iteration {
 public:
  Iteration() noexcept = default;
  /// Throws Thrown (TypeError) if the value cannot be iterated.
  explicit Iteration(Value const& iterable);

  /// Each item costs a step.
  bool next(Runtime& runtime, Value& out);

 private:
  enum class Source : std::uint8_t { items, keys, values, pairs, text, range, iterator };

  Source source_ = Source::items;
  Value const* item_ = nullptr;
  Value const* last_item_ = nullptr;
  Dict::Entry const* entry_ = nullptr;
  Dict::Entry const* last_entry_ = nullptr;
  Value text_;
  std::size_t at_ = 0;
  std::int64_t number_ = 0;
  std::int64_t step_ = 0;
  std::int64_t left_ = 0;
  IteratorObject* iterator_ = nullptr;
};

bool iterable(Value const& value) noexcept;

/// All items. A list or tuple gives its own.
std::span<Value const> items_of(Runtime& runtime, Value const& iterable);

/// len(), if the type has one.
std::optional<std::int64_t> length_of(Runtime& runtime, Value const& value);

}  // namespace kvgate::jinja
