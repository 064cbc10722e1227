// Finds how much of a prompt many engines have, with the cache misses of all of them under way at once.
#include <algorithm>
#include <array>

#include "prefix/cached_blocks.hpp"
#include "prefix/read_section.hpp"

namespace kvgate::prefix {
namespace {

constexpr std::size_t batch_engines = 64;
constexpr std::uint32_t max_parts = 8;

/// A round costs one memory latency however many loads are in it: few engines look at more blocks each.
std::uint32_t parts_for(std::size_t engines) noexcept {
  if (engines > 16) return 2;
  return engines > 6 ? 4 : max_parts;
}

}  // namespace

/// The search in one engine's table. What an engine has is a prefix, so looking at one block halves what is open.
class PrefixSearch {
 public:
  /// Many engines have nothing, and one often has everything: the ends come first.
  void begin(CachedBlocks const& engine, std::uint32_t* answer, std::span<BlockHash const> prompt) noexcept {
    engine_ = &engine;
    answer_ = answer;
    cutoff_ = engine.cutoff();
    low_ = 0;
    high_ = static_cast<std::uint32_t>(prompt.size());
    probe_count_ = 0;
    probe(prompt, 0);
    if (high_ > 1) probe(prompt, high_ - 1);
  }

  /// Starts loading the blocks that divide what is open into `parts`.
  void choose(std::span<BlockHash const> prompt, std::uint32_t parts) noexcept {
    auto const low = low_, open = high_ - low_;
    parts = std::min(parts, open + 1);
    probe_count_ = 0;
    for (std::uint32_t part = 1; part < parts; ++part) {
      probe(prompt, low + static_cast<std::uint32_t>(std::uint64_t{open} * part / parts));
    }
  }

  /// Starts loading what else these loads tell to look at.
  void follow() const noexcept {
    for (auto const& each : probes()) BlockTable::prefetch_further(each.spot);
  }

  /// Looks at what was loaded. True when the answer is found.
  bool look() noexcept {
    for (auto const& each : probes()) {
      if (!BlockTable::holds(each.spot, cutoff_)) {
        high_ = each.block;
        break;
      }
      low_ = each.block + 1;
    }
    if (low_ < high_) return false;
    *answer_ = low_;
    return true;
  }

 private:
  struct Probe {
    std::uint32_t block;
    BlockTable::Spot spot;
  };

  std::span<Probe const> probes() const noexcept { return std::span(probes_).first(probe_count_); }
  void probe(std::span<BlockHash const> prompt, std::uint32_t block) noexcept {
    probes_[probe_count_++] = {block, engine_->table_.prefetch(prompt[block])};
  }

  CachedBlocks const* engine_;  // set by begin(), like all of it: most of a batch is never used
  std::uint32_t* answer_;
  std::uint32_t cutoff_;
  std::uint32_t low_;   // that many leading blocks are there
  std::uint32_t high_;  // no more than that many are
  std::uint32_t probe_count_;
  std::array<Probe, max_parts - 1> probes_;  // ascending
};

namespace {

/// Each step is taken for all engines before the next, so that the loads of one step overlap.
void search_batch(std::span<CachedBlocks const* const> engines, std::span<BlockHash const> prompt,
                  std::span<std::uint32_t> out) noexcept {
  std::array<PrefixSearch, batch_engines> searches;
  std::array<PrefixSearch*, batch_engines> open;
  for (std::size_t i = 0; i < engines.size(); ++i) {
    open[i] = &searches[i];
    open[i]->begin(*engines[i], &out[i], prompt);
  }
  auto const first = open.begin();
  auto last = first + static_cast<std::ptrdiff_t>(engines.size());
  while (first != last) {
    std::for_each(first, last, [](auto* search) { search->follow(); });
    last = std::remove_if(first, last, [](auto* search) { return search->look(); });
    auto const parts = parts_for(static_cast<std::size_t>(last - first));
    std::for_each(first, last, [&](auto* search) { search->choose(prompt, parts); });
  }
}

}  // namespace

void CachedBlocks::longest_prefixes(std::span<CachedBlocks const* const> engines, std::span<BlockHash const> prompt,
                                    std::span<std::uint32_t> out) noexcept {
  if (prompt.empty()) {
    std::fill(out.begin(), out.end(), 0);
    return;
  }
  ReadSection const reading;
  for (std::size_t done = 0; done < engines.size(); done += batch_engines) {
    auto const count = std::min(batch_engines, engines.size() - done);
    search_batch(engines.subspan(done, count), prompt, out.subspan(done, count));
  }
}

}  // namespace kvgate::prefix
