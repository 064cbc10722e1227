#include "text/tokenizer/cached_encoder.hpp"

#include <atomic>
#include <string>
#include <utility>

namespace kvgate::text {
namespace {

std::uint64_t next_owner() {
  static std::atomic<std::uint64_t> next{0};
  return next.fetch_add(2, std::memory_order_relaxed);
}

TokenTrie trie_of(std::vector<std::string_view> const& tokens) {
  std::vector<std::pair<std::string, std::uint32_t>> entries;
  for (auto const token : tokens) entries.emplace_back(std::string(token), 0);
  return TokenTrie(std::move(entries));
}

}  // namespace

CachedEncoder::CachedEncoder(std::shared_ptr<Tokenizer const> tokenizer)
    : tokenizer_(std::move(tokenizer)), cuts_(trie_of(tokenizer_->cut_tokens())), owner_(next_owner()) {}

/// Up to the first cut that makes it long enough to be worth remembering.
std::string_view CachedEncoder::first_part(std::string_view text) const noexcept {
  std::size_t from = 0;
  while (auto const cut = cuts_.find(text, from)) {
    if (cut->end >= SegmentCache::kMinText) return text.substr(0, cut->end);
    from = cut->end;
  }
  return text;
}

Result<void> CachedEncoder::encode(std::string_view utf8, EncodeOptions options, SegmentCache& cache,
                                   TokenizerScratch& scratch, std::vector<std::uint32_t>& out) const {
  if (options.add_special_tokens || cuts_.empty()) return tokenizer_->encode(utf8, options, scratch, out);
  std::vector<std::uint32_t> ids;
  out.clear();
  while (!utf8.empty()) {
    auto const part = first_part(utf8);
    utf8.remove_prefix(part.size());
    auto const owner = owner_ + (options.continues ? 1 : 0);
    // The last part grows from turn to turn: nobody will ask for it as it is.
    bool const whole = !utf8.empty();
    if (!whole || !cache.find(owner, part, out)) {
      if (auto const encoded = tokenizer_->encode(part, options, scratch, ids); !encoded) return encoded.error();
      out.insert(out.end(), ids.begin(), ids.end());
      if (whole) cache.put(owner, part, ids);
    }
    options.continues = true;
  }
  return {};
}

}  // namespace kvgate::text
