#include "sim/prefix_cache.hpp"

#include <algorithm>

namespace kvgate::sim {

std::size_t PrefixCache::lookup(std::span<std::uint64_t const> hashes) {
  std::size_t held = 0;
  while (held < hashes.size() && index_.contains(hashes[held])) ++held;
  // Touched from the tail on, so that a chain loses its last block first: a head without its tail is still of use.
  for (std::size_t i = held; i-- > 0;) order_.splice(order_.begin(), order_, index_.at(hashes[i]));
  return held;
}

std::size_t PrefixCache::insert(std::span<std::uint64_t const> hashes) {
  auto const kept = hashes.first(std::min(hashes.size(), capacity_));
  std::size_t added = 0;
  for (std::size_t i = kept.size(); i-- > 0;) {
    auto const [entry, is_new] = index_.try_emplace(kept[i]);
    if (is_new) {
      entry->second = order_.insert(order_.begin(), kept[i]);
      ++added;
    } else {
      order_.splice(order_.begin(), order_, entry->second);
    }
  }
  for (; index_.size() > capacity_; order_.pop_back()) index_.erase(order_.back());
  return added;
}

void PrefixCache::clear() noexcept {
  index_.clear();
  order_.clear();
}

}  // namespace kvgate::sim
