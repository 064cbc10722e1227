#include "prefix/budget.hpp"

#include <algorithm>

#include "prefix/cached_blocks.hpp"

namespace kvgate::prefix {

void Budget::attach(CachedBlocks& table) {
  std::lock_guard lock(mutex_);
  tables_.push_back(&table);
  divide();
  for (auto* const each : tables_) each->shrink_to_share();
}

void Budget::detach(CachedBlocks& table) {
  std::lock_guard lock(mutex_);
  tables_.erase(std::find(tables_.begin(), tables_.end(), &table));
  divide();
}

void Budget::divide() {
  share_.store(max_bytes_ / std::max<std::size_t>(tables_.size(), 1), std::memory_order_relaxed);
}

}  // namespace kvgate::prefix
