// Turns what one scrape read into samples: which series carries which numbers.
#pragma once

#include <string_view>

#include "metrics/exposition.hpp"
#include "metrics/process.hpp"
#include "metrics/registry.hpp"

namespace kvgate::metrics {

/// Used within one scrape, under the registry's lock.
class ScrapeBuilder {
 public:
  ScrapeBuilder(Registry const& registry, Clock::time_point now) : registry_(registry), now_(now) {}

  void series(SeriesReadings const& readings);
  void engines(RateWindow::Totals const& totals, SeriesReadings const& readings);
  void workers(WorkerReading const& reading);
  void control(ControlFacts const& facts);
  void process(ProcessFacts const& facts);

  Exposition const& result() const noexcept { return out_; }

 private:
  void tokens(ControlFacts::Tokens const& facts);

  struct Labels {
    std::string_view route, model, engine;
  };
  Labels labels(SeriesKey const& key) const;
  void predictions(WorkerReading const& reading);
  void by_model(Labels const& labels, SeriesReading const& reading);
  void by_engine(Labels const& labels, SeriesReading const& reading);
  void as_python_router(Labels const& labels, SeriesReading const& reading);

  Registry const& registry_;
  Clock::time_point now_;
  Exposition out_;
};

}  // namespace kvgate::metrics
