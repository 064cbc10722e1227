#include "text/bpe/token_table.hpp"

namespace kvgate::text::bpe {

TokenTable::TokenTable(std::span<Token const> tokens) : buckets_(tokens.size() / 2 + 2) {
  for (auto const& token : tokens) {
    auto b = home(hash_of(token.key));
    while (buckets_[b].used == kPerBucket) b = after(b);
    auto& bucket = buckets_[b];
    bucket.keys[bucket.used] = token.key;
    bucket.ids[bucket.used++] = token.id;
  }
}

std::uint32_t TokenTable::find(ShortKey key, std::uint64_t hash) const noexcept {
  for (auto b = home(hash);; b = after(b)) {
    auto const& bucket = buckets_[b];
    for (int i = 0; i < kPerBucket; ++i) {
      if (bucket.keys[i] == key) return bucket.ids[i];
    }
    if (bucket.used < kPerBucket) return kNone;
  }
}

}  // namespace kvgate::text::bpe
