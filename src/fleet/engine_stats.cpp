#include "fleet/engine_stats.hpp"

#include <algorithm>
#include <limits>

namespace kvgate::fleet {
namespace {

/// Worker processes of one server start within this, and any of them may answer.
constexpr double kSameStart = 1.0;

bool contains(std::vector<std::string> const& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

Adapter Adapters::state_of(std::string_view name) const {
  if (max == 0) return Adapter::not_known;
  if (contains(running, name)) return Adapter::loaded;
  auto const taken = running.size() + waiting.size() - (contains(waiting, name) ? 1 : 0);
  return taken < max ? Adapter::room : Adapter::full;
}

std::string_view to_string(ScrapeResult result) noexcept {
  constexpr std::string_view kNames[kScrapeResults] = {"ok", "failed", "no_known_series"};
  return kNames[static_cast<std::size_t>(result)];
}

std::optional<Reported> ReportedStats::reported(Clock::time_point now, Clock::duration stale) const noexcept {
  auto const told = told_.load();
  if (told.taken == Clock::time_point{}) return std::nullopt;
  auto const age = now > told.taken ? now - told.taken : Clock::duration(0);
  if (age > stale) return std::nullopt;
  return Reported{told.running, told.waiting, told.kv_usage, told.sleeping, age};
}

ReportedStats::Told ReportedStats::told(EngineGauges const& gauges) noexcept {
  if (!gauges.running || !gauges.waiting) return {};
  auto const usage = gauges.kv_usage.value_or(std::numeric_limits<float>::quiet_NaN());
  return {*gauges.running, *gauges.waiting, usage, gauges.sleeping, gauges.taken};
}

std::shared_ptr<Adapters const> ReportedStats::adapters() const {
  std::lock_guard const lock(mutex_);
  return adapters_;
}

std::uint64_t ReportedStats::scrapes(ScrapeResult result) const noexcept {
  return scrapes_[static_cast<std::size_t>(result)].load(std::memory_order_relaxed);
}

bool ReportedStats::store(EngineStats stats) {
  auto adapters = std::make_shared<Adapters const>(std::move(stats.adapters));
  std::lock_guard const lock(mutex_);
  gauges_.store(stats.gauges);
  told_.store(told(stats.gauges));
  adapters_ = std::move(adapters);
  auto const started = stats.gauges.started;
  if (!started) return false;
  // Only a later start counts: behind one URL several servers may take turns, each with a start of its own.
  bool const later = latest_start_ && *started > *latest_start_ + kSameStart;
  latest_start_ = std::max(latest_start_.value_or(*started), *started);
  return later;
}

void ReportedStats::count(ScrapeResult result) noexcept {
  scrapes_[static_cast<std::size_t>(result)].fetch_add(1, std::memory_order_relaxed);
}

}  // namespace kvgate::fleet
