// Memory for variables and arguments while they are in use: given back in reverse order.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class SlotStack {
 public:
  /// A place to return to.
  struct Mark {
    std::size_t chunk;
    std::size_t used;
  };

  Mark mark() const noexcept { return {chunk_, used_}; }
  /// Gives back all that was taken since.
  void release(Mark mark) noexcept {
    chunk_ = mark.chunk;
    used_ = mark.used;
  }

  /// `count` values, undefined.
  Value* take(std::size_t count) {
    Value* values = static_cast<Value*>(take_units(count));
    for (std::size_t i = 0; i < count; ++i) new (values + i) Value();
    return values;
  }

  /// Room for `count` objects of a type that is as simple as a value.
  template <class T>
  T* take_raw(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= alignof(Value));
    return static_cast<T*>(take_units((count * sizeof(T) + sizeof(Value) - 1) / sizeof(Value)));
  }

 private:
  static constexpr std::size_t kChunk = 512;

  struct Chunk {
    std::unique_ptr<Value[]> values;
    std::size_t size;
  };

  void* take_units(std::size_t count) {
    while (true) {
      if (chunk_ < chunks_.size() && chunks_[chunk_].size - used_ >= count) {
        Value* at = chunks_[chunk_].values.get() + used_;
        used_ += count;
        return at;
      }
      if (!chunks_.empty() && chunk_ + 1 < chunks_.size()) {
        ++chunk_;
      } else {
        std::size_t const size = count > kChunk ? count : kChunk;
        chunks_.push_back({std::make_unique_for_overwrite<Value[]>(size), size});
        chunk_ = chunks_.size() - 1;
      }
      used_ = 0;
    }
  }

  std::vector<Chunk> chunks_;
  std::size_t chunk_ = 0;
  std::size_t used_ = 0;
};

}  // namespace kvgate::jinja
