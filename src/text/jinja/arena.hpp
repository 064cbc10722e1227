// Memory that is given back all at once: what the values of one request or one compiled template live in.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kvgate::jinja {

/// Thrown when an arena would grow over its limit. Caught at the edge of this module.
struct ArenaFull : std::exception {
  char const* what() const noexcept override { return "arena limit reached"; }
};

/// A bump allocator. Nothing in it is destroyed, so only trivially destructible things go in. Not thread-safe while it
/// is written to; what it holds may be read by any number of threads. Values keep pointing into a moved arena.
class Arena {
 public:
  static constexpr std::size_t unlimited = static_cast<std::size_t>(-1);

  /// `limit` bounds the bytes handed out over its lifetime; an arena without a limit never throws ArenaFull.
  explicit Arena(std::size_t limit = unlimited) noexcept : left_(limit) {}
  Arena(Arena&&) noexcept = default;
  Arena& operator=(Arena&&) noexcept = default;

  void* allocate(std::size_t bytes) {
    bytes = (bytes + 7) & ~std::size_t{7};
    if (bytes > static_cast<std::size_t>(end_ - next_)) return allocate_slow(bytes);
    char* at = next_;
    next_ += bytes;
    return at;
  }

  template <class T>
  T* allocate_array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 8);
    if (count > unlimited / 2 / sizeof(T)) throw ArenaFull();
    return static_cast<T*>(allocate(count * sizeof(T)));
  }

  template <class T, class... Args>
  T* create(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 8);
    return new (allocate(sizeof(T))) T{std::forward<Args>(args)...};
  }

  /// A copy of `text` that lives as long as the arena.
  std::string_view copy(std::string_view text);

 private:
  void* allocate_slow(std::size_t bytes);

  char* next_ = nullptr;
  char* end_ = nullptr;
  std::size_t left_;  ///< bytes that may still be taken from the system
  std::size_t chunk_size_ = 4096;
  std::vector<std::unique_ptr<char[]>> chunks_;
};

}  // namespace kvgate::jinja
