// What an engine says of itself (its own /metrics), as told at the last successful scrape.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/seqlock.hpp"
#include "kvgate/candidate.hpp"
#include "kvgate/clock.hpp"

namespace kvgate::fleet {

/// Summed over the engine's data-parallel ranks and models. nullopt: it did not say.
struct EngineGauges {
  std::optional<std::uint32_t> running;    ///< requests in execution, whoever sent them
  std::optional<std::uint32_t> waiting;    ///< requests queued there
  std::optional<float> kv_usage;           ///< 0 to 1: mean over ranks, the share of all its KV blocks in use
  std::optional<std::uint32_t> kv_blocks;  ///< of all ranks together
  std::optional<std::uint32_t> block_size_tokens;
  std::optional<double> prefix_queries;  ///< tokens looked up in its prefix cache since it started
  std::optional<double> prefix_hits;     ///< of these, found
  std::optional<double> started;         ///< seconds since the epoch
  bool sleeping = false;
  Clock::time_point taken{};  ///< when it was asked; the clock's epoch: never

  bool known() const noexcept { return taken != Clock::time_point{}; }
  Clock::duration age(Clock::time_point now) const noexcept { return now > taken ? now - taken : Clock::duration(0); }
  bool fresh(Clock::time_point now, Clock::duration stale) const noexcept { return known() && age(now) <= stale; }
};

/// The LoRA adapters of an engine. Each name once: a waiting one is not running.
struct Adapters {
  std::vector<std::string> running;
  std::vector<std::string> waiting;  ///< requests for them are queued: they will take the next slots
  std::uint32_t max = 0;             ///< slots; 0: the engine has told of no adapters

  Adapter state_of(std::string_view name) const;
};

struct EngineStats {
  EngineGauges gauges;
  Adapters adapters;
};

enum class ScrapeResult : std::uint8_t {
  ok,
  failed,           ///< no answer, or not with status 200
  no_known_series,  ///< an answer without any series that is known: another kind of engine, or renamed
};
inline constexpr std::size_t kScrapeResults = 3;

/// snake_case name, as used in metric labels.
std::string_view to_string(ScrapeResult result) noexcept;

/// An endpoint's place for all that. Thread-safe; gauges() and reported() take no lock.
class ReportedStats {
 public:
  ReportedStats() : adapters_(std::make_shared<Adapters const>()) {}

  /// As last told, however long ago.
  EngineGauges gauges() const noexcept { return gauges_.load(); }
  /// For a decision at `now`: nullopt when nothing is known, or nothing younger than `stale`.
  std::optional<Reported> reported(Clock::time_point now, Clock::duration stale) const noexcept;
  /// Never null.
  std::shared_ptr<Adapters const> adapters() const;
  std::uint64_t scrapes(ScrapeResult result) const noexcept;

  /// True when the engine has started anew since it last said when it started. Only the Registry calls it.
  bool store(EngineStats stats);
  void count(ScrapeResult result) noexcept;

 private:
  /// What decisions want, apart from the rest: they read it of every engine.
  struct Told {
    std::uint32_t running = 0, waiting = 0;
    float kv_usage = 0;
    bool sleeping = false;
    Clock::time_point taken{};  // the clock's epoch: it did not say how many run and wait
  };
  static Told told(EngineGauges const& gauges) noexcept;

  SeqLock<Told> told_;
  SeqLock<EngineGauges> gauges_;
  std::array<std::atomic<std::uint64_t>, kScrapeResults> scrapes_{};
  mutable std::mutex mutex_;  // guards what follows, and makes store() the one writer of what stands above
  std::shared_ptr<Adapters const> adapters_;
  std::optional<double> latest_start_;
};

}  // namespace kvgate::fleet
