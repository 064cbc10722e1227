#include "http/buffer.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace kvgate::http {

Buffer::Buffer(std::size_t capacity)
    : data_(static_cast<char*>(std::malloc(capacity + kSlack))), capacity_(capacity) {
  if (!data_) throw std::bad_alloc();
}

Buffer::~Buffer() { std::free(data_); }

void Buffer::append(std::string_view bytes) {
  if (bytes.size() > room() && !reserve(size_ + bytes.size())) throw std::bad_alloc();
  std::memcpy(end(), bytes.data(), bytes.size());
  size_ += bytes.size();
}

void Buffer::erase_front(std::size_t n) noexcept {
  std::memmove(data_, data_ + n, size_ - n);
  size_ -= n;
}

bool Buffer::reserve(std::size_t capacity) noexcept {
  if (capacity <= capacity_) return true;
  auto* grown = static_cast<char*>(std::realloc(data_, capacity + kSlack));
  if (!grown) return false;
  data_ = grown;
  capacity_ = capacity;
  return true;
}

void BufferReturn::operator()(Buffer* buffer) const noexcept {
  if (!pool || buffer->capacity() != kBufferSize || pool->free_.size() >= BufferPool::kKeep) {
    delete buffer;
    return;
  }
  buffer->clear();
  pool->free_.push_back(buffer);
}

PooledBuffer BufferPool::get() {
  if (free_.empty()) {
    free_.reserve(kKeep);
    return {new Buffer(kBufferSize), BufferReturn{this}};
  }
  auto* buffer = free_.back();
  free_.pop_back();
  return {buffer, BufferReturn{this}};
}

BufferPool::~BufferPool() {
  for (auto* buffer : free_) delete buffer;
}

}  // namespace kvgate::http
