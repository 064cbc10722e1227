#include "text/cache/segment_cache.hpp"

#include <functional>

namespace kvgate::text {
namespace {

constexpr std::size_t kUpkeep = 160;   // nodes of the list and of the map, and two allocations' heads

std::uint64_t hash_of(std::uint64_t owner, std::string_view text) {
  return std::hash<std::string_view>{}(text) ^ owner * 0x9e3779b97f4a7c15u;
}

struct Entry {
  std::uint64_t hash, owner;
  std::string text;
  std::vector<std::uint32_t> ids;

  std::size_t bytes() const noexcept { return text.size() + ids.size() * sizeof ids[0] + kUpkeep; }
};

}  // namespace

struct SegmentCache::Shard {
  mutable std::mutex mutex;
  std::list<Entry> entries;   // most recently used first
  std::unordered_map<std::uint64_t, std::list<Entry>::iterator> by_hash;
  Stats stats;

  void drop(std::list<Entry>::iterator entry) {
    stats.bytes -= entry->bytes();
    by_hash.erase(entry->hash);
    entries.erase(entry);
  }
};

SegmentCache::SegmentCache(std::size_t max_bytes)
    : share_(max_bytes / kShards), shards_(std::make_unique<std::array<Shard, kShards>>()) {}

SegmentCache::~SegmentCache() = default;

SegmentCache::Shard& SegmentCache::shard_of(std::uint64_t hash) const { return (*shards_)[hash >> 60]; }

bool SegmentCache::find(std::uint64_t owner, std::string_view text, std::vector<std::uint32_t>& out) {
  auto const hash = hash_of(owner, text);
  auto& shard = shard_of(hash);
  std::lock_guard lock(shard.mutex);
  auto const found = shard.by_hash.find(hash);
  if (found == shard.by_hash.end() || found->second->owner != owner || found->second->text != text) {
    ++shard.stats.misses;
    shard.stats.missed_bytes += text.size();
    return false;
  }
  ++shard.stats.hits;
  shard.stats.hit_bytes += text.size();
  auto const& ids = found->second->ids;
  out.insert(out.end(), ids.begin(), ids.end());
  shard.entries.splice(shard.entries.begin(), shard.entries, found->second);
  return true;
}

void SegmentCache::put(std::uint64_t owner, std::string_view text, std::span<std::uint32_t const> ids) {
  Entry entry{hash_of(owner, text), owner, {}, {}};
  if (text.size() + ids.size_bytes() + kUpkeep > share_) return;
  entry.text = text;
  entry.ids.assign(ids.begin(), ids.end());
  auto& shard = shard_of(entry.hash);
  std::lock_guard lock(shard.mutex);
  // Of two texts with one hash the later stays.
  if (auto const same = shard.by_hash.find(entry.hash); same != shard.by_hash.end()) shard.drop(same->second);
  shard.stats.bytes += entry.bytes();
  shard.entries.push_front(std::move(entry));
  shard.by_hash.emplace(shard.entries.front().hash, shard.entries.begin());
  while (shard.stats.bytes > share_) shard.drop(std::prev(shard.entries.end()));
}

SegmentCache::Stats SegmentCache::stats() const {
  Stats sum;
  for (auto const& shard : *shards_) {
    std::lock_guard lock(shard.mutex);
    sum.hits += shard.stats.hits;
    sum.misses += shard.stats.misses;
    sum.hit_bytes += shard.stats.hit_bytes;
    sum.missed_bytes += shard.stats.missed_bytes;
    sum.bytes += shard.stats.bytes;
  }
  return sum;
}

}  // namespace kvgate::text
