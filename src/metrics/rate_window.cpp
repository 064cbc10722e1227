#include "metrics/rate_window.hpp"

#include <algorithm>

namespace kvgate::metrics {

void RateWindow::sample(Clock::time_point now, Totals const& totals) {
  while (samples_.size() > 1 && samples_[1].at <= now - kWindow) samples_.pop_front();
  if (now - samples_.back().at >= std::chrono::seconds(1)) samples_.push_back({now, totals});
}

EngineRates RateWindow::rates(Clock::time_point now, std::uint32_t engine, EngineTotals const& totals) const {
  auto base = std::find_if(samples_.rbegin(), samples_.rend(), [&](auto const& s) { return s.at <= now - kWindow; });
  if (base == samples_.rend()) --base;
  EngineTotals const before = engine < base->totals.size() ? base->totals[engine] : EngineTotals{};
  double const seconds = std::chrono::duration<double>(std::max<Clock::duration>(now - base->at, kWindow)).count();
  EngineRates rates;
  rates.per_second = static_cast<double>(totals.started - before.started) / seconds;
  if (auto const n = totals.succeeded - before.succeeded) {
    rates.mean_seconds = (totals.succeeded_seconds - before.succeeded_seconds) / static_cast<double>(n);
  }
  return rates;
}

}  // namespace kvgate::metrics
