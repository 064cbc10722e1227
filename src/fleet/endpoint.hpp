// One engine (or one data-parallel rank of it): identity, health, and the gate's own load on it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.hpp"
#include "fleet/engine_stats.hpp"
#include "fleet/prefill_rate.hpp"
#include "fleet/ring_points.hpp"
#include "kvgate/candidate.hpp"
#include "kvgate/clock.hpp"
#include "kvgate/engine_spec.hpp"
#include "prefix/block_hasher.hpp"
#include "prefix/cached_blocks.hpp"

namespace kvgate::fleet {

std::string_view to_string(Health health) noexcept;

/// A restarted or re-created engine is another generation: late events and leases of the old one never touch it.
struct EndpointId {
  std::string url;
  int dp_rank = 0;
  std::uint64_t generation = 0;
};

/// Shared by all threads; identity is immutable, everything else atomic or behind its own mutex. Lives as long as a
/// snapshot, a lease or a decision refers to it.
class Endpoint {
 public:
  /// `memory` is shared by the fleet: for what is believed of each engine's cache.
  Endpoint(EndpointId id, EngineSpec spec, std::uint32_t metrics_id, std::shared_ptr<prefix::Budget> memory);

  EndpointId const& id() const noexcept { return id_; }
  EngineSpec const& spec() const noexcept { return spec_; }
  std::string const& url() const noexcept { return id_.url; }
  std::uint32_t metrics_id() const noexcept { return metrics_id_; }
  /// stable_hash() of the URL: the same in every process.
  std::uint64_t url_hash() const noexcept { return url_hash_; }
  /// Ascending; computed when first asked for.
  std::span<RingPoint const> ring_points() const { return ring_points_.of(id_.url); }

  Load load() const noexcept {
    auto const told = told_tokens_.load(std::memory_order_relaxed);
    auto const prefills = prefills_.load(std::memory_order_relaxed);
    return {in_flight_.load(std::memory_order_relaxed), prefill_tokens_.load(std::memory_order_relaxed),
            prefills < 2 ? 0 : told - told / prefills, prefill_until_.load(std::memory_order_relaxed)};
  }
  Health health() const noexcept { return health_.load(std::memory_order_relaxed); }
  /// Only the Registry changes it. False when it was not `expected`, which then holds what it is.
  bool change_health(Health& expected, Health next) noexcept {
    return health_.compare_exchange_strong(expected, next, std::memory_order_acq_rel);
  }

  /// Resolved addresses, best first; empty while the name has not been resolved.
  std::shared_ptr<std::vector<SocketAddress> const> addresses() const;
  void set_addresses(std::vector<SocketAddress> addresses);

  /// What the engine says of itself.
  ReportedStats& stats() noexcept { return stats_; }
  ReportedStats const& stats() const noexcept { return stats_; }

  PrefillRate& prefill_rate() noexcept { return prefill_rate_; }
  PrefillRate const& prefill_rate() const noexcept { return prefill_rate_; }

  /// What the gate believes that the engine has cached, by text.
  prefix::CachedBlocks& cached_blocks() noexcept { return cached_blocks_; }
  prefix::CachedBlocks const& cached_blocks() const noexcept { return cached_blocks_; }
  /// Learned from prompts of which both are known: how many bytes of text its tokens have on average.
  double bytes_per_token() const noexcept { return bytes_per_token_.load(std::memory_order_relaxed); }
  void learn_bytes_per_token(double bytes_per_token) noexcept;

 private:
  friend class Lease;
  void queue_prefill(std::uint64_t tokens, Clock::time_point now) noexcept;

  EndpointId const id_;
  EngineSpec const spec_;
  std::uint32_t const metrics_id_;
  std::uint64_t const url_hash_;
  RingPoints ring_points_;
  mutable std::mutex address_mutex_;
  std::shared_ptr<std::vector<SocketAddress> const> addresses_;
  // From here to the beginning of stats_ one cache line: a decision reads all of it, of every engine.
  alignas(64) std::atomic<Health> health_{Health::unknown};
  std::atomic<std::uint32_t> in_flight_{0};
  std::atomic<std::uint64_t> prefill_tokens_{0};
  std::atomic<Clock::time_point> prefill_until_{Clock::time_point{}};
  std::atomic<Clock::time_point> prefill_since_{Clock::time_point{}};   // when the prefill that is under way began
  std::atomic<std::uint64_t> told_tokens_{0};   // of prefill_tokens_, those whose end is told by a first byte ...
  std::atomic<std::uint32_t> prefills_{0};      // ... and the requests that they belong to
  ReportedStats stats_;
  PrefillRate prefill_rate_;
  prefix::CachedBlocks cached_blocks_;
  std::atomic<float> bytes_per_token_{prefix::kBytesPerToken};
};

}  // namespace kvgate::fleet
