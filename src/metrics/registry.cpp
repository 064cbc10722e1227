#include "metrics/registry.hpp"

#include "metrics/scrape_builder.hpp"

namespace kvgate::metrics {
namespace {

constexpr std::size_t kMostModels = 4096;
constexpr std::size_t kMostEngines = 65536;

}  // namespace

Registry::Registry(Clock::time_point now, WallClock::time_point started)
    : started_(started), models_(kMostModels), engines_(kMostEngines), departed_(1), window_(now) {}

WorkerMetrics& Registry::add_worker() {
  std::lock_guard const lock(mutex_);
  return *workers_.emplace_back(std::make_unique<WorkerMetrics>());
}

void Registry::set_routes(std::span<std::string const> labels) {
  std::lock_guard const lock(mutex_);
  routes_.assign(labels.begin(), labels.end());
}

std::uint32_t Registry::intern_model(std::string_view name) {
  std::lock_guard const lock(mutex_);
  return models_.intern(name);
}

std::uint32_t Registry::intern_engine(std::string_view url) {
  std::lock_guard const lock(mutex_);
  std::uint32_t const id = engines_.intern(url);
  departed_.resize(engines_.last_id() + 1);
  departed_[id].reset();
  return id;
}

void Registry::engine_departed(std::uint32_t id, Clock::time_point now) {
  std::lock_guard const lock(mutex_);
  if (id != 0 && id < departed_.size()) departed_[id] = now;
}

void Registry::set_control_source(std::function<ControlFacts()> source) {
  std::lock_guard const lock(mutex_);
  source_ = std::move(source);
}

ControlFacts Registry::control_facts() {
  std::function<ControlFacts()> source;
  {
    std::lock_guard const lock(mutex_);
    source = source_;
  }
  return source ? source() : ControlFacts{};
}

bool Registry::visible(std::uint32_t engine, Clock::time_point now) const noexcept {
  if (engine >= departed_.size() || !departed_[engine]) return true;
  return now - *departed_[engine] < kDepartedStay;
}

RateWindow::Totals Registry::totals(SeriesReadings const& readings) const {
  RateWindow::Totals totals(engines_.last_id() + 1);
  for (auto const& [key, reading] : readings) {
    if (key.engine >= totals.size()) continue;
    auto& engine = totals[key.engine];
    engine.started += reading.started;
    engine.succeeded += reading.durations[0].total();
    engine.succeeded_seconds += reading.durations[0].sum;
  }
  return totals;
}

void Registry::sample(Clock::time_point now) {
  std::lock_guard const lock(mutex_);
  window_.sample(now, totals(read_series(workers_)));
}

std::string Registry::expose(Clock::time_point now) {
  ControlFacts const facts = control_facts();
  ProcessFacts const process = read_process();
  std::unique_lock lock(mutex_);
  SeriesReadings const readings = read_series(workers_);
  RateWindow::Totals const sums = totals(readings);
  window_.sample(now, sums);

  ScrapeBuilder builder(*this, now);
  builder.series(readings);
  builder.engines(sums, readings);
  WorkerReading workers;
  for (auto const& worker : workers_) workers.add(*worker);
  builder.workers(workers);
  builder.control(facts);
  builder.process(process);
  lock.unlock();
  return to_text(builder.result());
}

}  // namespace kvgate::metrics
