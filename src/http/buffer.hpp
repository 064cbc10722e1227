// Byte buffers of the relay. A connection holds one only while it has something to read or to keep.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace kvgate::http {

/// Growable bytes with a consumed front; 64 bytes behind the end are always readable (simdjson reads in blocks).
/// Grows with realloc, so that large bodies are moved by the kernel and not copied. Not thread-safe.
class Buffer {
 public:
  static constexpr std::size_t kSlack = 64;

  explicit Buffer(std::size_t capacity);
  ~Buffer();
  Buffer(Buffer const&) = delete;
  Buffer& operator=(Buffer const&) = delete;

  char* data() noexcept { return data_; }
  char const* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return capacity_; }
  std::size_t room() const noexcept { return capacity_ - size_; }
  std::string_view view() const noexcept { return {data_, size_}; }

  char* end() noexcept { return data_ + size_; }
  void commit(std::size_t n) noexcept { size_ += n; }
  void resize(std::size_t n) noexcept { size_ = n; }
  void clear() noexcept { size_ = 0; }
  void append(std::string_view bytes);
  void erase_front(std::size_t n) noexcept;
  /// At least this capacity; false when there is no memory.
  bool reserve(std::size_t capacity) noexcept;

 private:
  char* data_;
  std::size_t size_ = 0;
  std::size_t capacity_;
};

inline constexpr std::size_t kBufferSize = 64 * 1024;

class BufferPool;

/// Gives a pooled buffer back when it goes; empty by default.
struct BufferReturn {
  BufferPool* pool = nullptr;
  void operator()(Buffer* buffer) const noexcept;
};
using PooledBuffer = std::unique_ptr<Buffer, BufferReturn>;

/// 64-KiB buffers, last in first out, one pool per worker. Buffers that grew are freed instead of kept.
class BufferPool {
 public:
  PooledBuffer get();
  ~BufferPool();

 private:
  friend struct BufferReturn;
  static constexpr std::size_t kKeep = 256;   // 16 MiB a worker at most
  std::vector<Buffer*> free_;
};

}  // namespace kvgate::http
