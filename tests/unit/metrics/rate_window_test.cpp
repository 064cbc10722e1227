#include "metrics/rate_window.hpp"

#include <gmock/gmock.h>

namespace kvgate::metrics {
namespace {

using std::chrono::seconds;

constexpr Clock::time_point kStart{};

RateWindow::Totals only(EngineTotals const& totals) {
  return {{}, totals};
}

TEST(RateWindow, YoungProcessIsDividedByTheWholeWindow) {
  RateWindow const window(kStart);
  EXPECT_DOUBLE_EQ(window.rates(kStart + seconds(2), 1, {30, 0, 0}).per_second, .5);
}

TEST(RateWindow, FirstScrapeAfterAnHourIsNoBurst) {
  RateWindow const window(kStart);
  EXPECT_DOUBLE_EQ(window.rates(kStart + seconds(3600), 1, {3600, 0, 0}).per_second, 1);
}

TEST(RateWindow, ForgetsWhatIsOlderThanTheWindow) {
  RateWindow window(kStart);
  for (int t = 1; t <= 300; ++t) window.sample(kStart + seconds(t), only({t <= 100 ? 100U : 220U, 0, 0}));
  auto const at = [&](int t) { return window.rates(kStart + seconds(t), 1, {220, 0, 0}).per_second; };
  EXPECT_DOUBLE_EQ(at(300), 0);
  EXPECT_DOUBLE_EQ(at(301), 0);
}

TEST(RateWindow, MeanIsOfTheWindowOnly) {
  RateWindow window(kStart);
  EXPECT_EQ(window.rates(kStart + seconds(1), 1, {5, 0, 0}).mean_seconds, std::nullopt);
  window.sample(kStart + seconds(10), only({1, 1, 100}));
  auto const rates = window.rates(kStart + seconds(70), 1, {3, 3, 104});
  EXPECT_DOUBLE_EQ(rates.mean_seconds.value(), 2);
}

TEST(RateWindow, EngineNewerThanTheSampleStartsAtZero) {
  RateWindow window(kStart);
  window.sample(kStart + seconds(10), only({1, 0, 0}));
  EXPECT_DOUBLE_EQ(window.rates(kStart + seconds(70), 7, {60, 0, 0}).per_second, 1);
}

}  // namespace
}  // namespace kvgate::metrics
