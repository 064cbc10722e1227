// Memory for the texts that one encoding rewrites: handed out in pieces, taken back all at once.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace kvgate::text {

/// Of plain values. What was handed out stays in place until reset(); nothing is allocated once it has grown to what
/// texts need.
template <class T>
class Arena {
 public:
  T* allocate(std::size_t count) {
    while (block_ < blocks_.size() && blocks_[block_].size - used_ < count) ++block_, used_ = 0;
    if (block_ == blocks_.size()) add_block(count);
    T* const result = blocks_[block_].data.get() + used_;
    used_ += count;
    return result;
  }

  /// All that was handed out is free again. What one huge text took is given back to the system.
  void reset() {
    if (total_ > kKept) blocks_.clear(), total_ = 0;
    block_ = 0;
    used_ = 0;
  }

 private:
  static constexpr std::size_t kFirstBlock = 64 * 1024 / sizeof(T);
  static constexpr std::size_t kKept = 4 * 1024 * 1024 / sizeof(T);

  struct Block {
    std::unique_ptr<T[]> data;
    std::size_t size;
  };

  void add_block(std::size_t count) {
    std::size_t const size = std::max({count, kFirstBlock, total_});
    blocks_.push_back({std::unique_ptr<T[]>(new T[size]), size});
    total_ += size;
  }

  std::vector<Block> blocks_;
  std::size_t block_ = 0;
  std::size_t used_ = 0;
  std::size_t total_ = 0;
};

}  // namespace kvgate::text
