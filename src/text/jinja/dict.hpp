// Python's dict: insertion order, last value wins, any hashable key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "text/jinja/value.hpp"

namespace kvgate::jinja {

/// Lives in an arena. A few entries are searched one by one, more by a hash index (seeded per process, so that keys
/// which all collide cannot be chosen). Written by whoever builds it, and not changed once a template sees it.
class Dict {
 public:
  struct Entry {
    Value key;
    Value value;
  };

  /// An empty dict with room for `expected` entries; it grows as needed.
  static Dict* create(Arena& arena, std::size_t expected = 0);

  /// Replaces the value of an equal key where it stands, else appends. `key` must be hashable(). `arena` is the one
  /// that the dict was made in.
  void set(Arena& arena, Value key, Value value);
  void set(Arena& arena, std::string_view key, Value value) { set(arena, Value::string(key), value); }

  Value const* find(std::string_view key) const noexcept;
  /// `key` must be hashable().
  Value const* find(Value key) const;

  std::span<Entry const> entries() const noexcept { return {entries_, size_}; }
  std::size_t size() const noexcept { return size_; }

 private:
  std::uint32_t find_at(Value key) const;
  std::uint32_t find_text(std::string_view key) const noexcept;
  void grow(Arena& arena);
  void rebuild_index(Arena& arena);
  void index_entry(std::uint32_t at);

  Entry* entries_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
  std::uint32_t* index_ = nullptr;  ///< entry number + 1, 0 for an empty slot; absent while there are few entries
  std::uint32_t index_mask_ = 0;
};

/// Whether Python would take the value as a key: not lists, dicts, or tuples that hold one.
bool hashable(Value const& value);

}  // namespace kvgate::jinja
