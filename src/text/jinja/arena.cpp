#include "text/jinja/arena.hpp"

#include <algorithm>
#include <cstring>

namespace kvgate::jinja {
namespace {

constexpr std::size_t kLargestChunk = 1 << 20;

}  // namespace

void* Arena::allocate_slow(std::size_t bytes) {
  if (bytes > left_) throw ArenaFull();
  chunk_size_ = std::min(chunk_size_ * 2, kLargestChunk);
  if (bytes > chunk_size_ / 4) {  // of its own, so that the rest of the current chunk stays usable
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(bytes));
    left_ -= bytes;
    return chunks_.back().get();
  }
  std::size_t const size = std::min(chunk_size_, left_);
  chunks_.push_back(std::make_unique_for_overwrite<char[]>(size));
  left_ -= size;
  next_ = chunks_.back().get() + bytes;
  end_ = chunks_.back().get() + size;
  return chunks_.back().get();
}

std::string_view Arena::copy(std::string_view text) {
  if (text.empty()) return {};
  char* at = static_cast<char*>(allocate(text.size()));
  std::memcpy(at, text.data(), text.size());
  return {at, text.size()};
}

}  // namespace kvgate::jinja
