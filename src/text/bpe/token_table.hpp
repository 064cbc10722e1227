// The words of up to 15 bytes that are one token as they stand. A bucket is one cache line.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "text/bpe/huge_vector.hpp"
#include "text/bpe/short_key.hpp"

namespace kvgate::text::bpe {

/// Immutable once built; safe to share between threads.
class TokenTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Token {
    ShortKey key;
    std::uint32_t id;
  };

  /// The keys must differ.
  explicit TokenTable(std::span<Token const> tokens = {});

  void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&buckets_[home(hash)]); }

  /// The id, or kNone.
  std::uint32_t find(ShortKey key, std::uint64_t hash) const noexcept;

  std::size_t memory() const noexcept { return buckets_.size() * sizeof(Bucket); }

 private:
  static constexpr int kPerBucket = 3;

  struct alignas(64) Bucket {
    ShortKey keys[kPerBucket];
    std::uint32_t ids[kPerBucket];
    std::uint32_t used;
  };

  std::size_t home(std::uint64_t hash) const noexcept { return (hash & 0xffffffffu) * buckets_.size() >> 32; }
  std::size_t after(std::size_t bucket) const noexcept { return bucket + 1 == buckets_.size() ? 0 : bucket + 1; }

  HugeVector<Bucket> buckets_;
};

}  // namespace kvgate::text::bpe
