#include "metrics/cells.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "metrics/exposition.hpp"

namespace kvgate::metrics {
namespace {

using testing::ElementsAre;

constexpr std::array kBounds = {.1, 1., 10.};

TEST(Histogram, SortsValuesIntoBuckets) {
  struct Case {
    double value;
    std::size_t bucket;
  };
  for (auto const& [value, bucket] :
       {Case{0, 0}, Case{.1, 0}, Case{.11, 1}, Case{1, 1}, Case{10, 2}, Case{10.5, 3}, Case{-1, 0}, Case{NAN, 0}}) {
    SCOPED_TRACE(value);
    Histogram<kBounds> histogram;
    histogram.observe(value);
    EXPECT_EQ(histogram.read().counts[bucket], 1U);
    EXPECT_EQ(histogram.read().total(), 1U);
    EXPECT_GE(histogram.read().sum, 0);
  }
}

TEST(Histogram, CountsRepeatedValues) {
  Histogram<kBounds> histogram;
  histogram.observe(.5, 4);
  EXPECT_THAT(histogram.read().counts, ElementsAre(0, 4, 0, 0));
  EXPECT_DOUBLE_EQ(histogram.read().sum, 2.0);
}

TEST(Histogram, RebucketKeepsCountsAndSum) {
  HistogramReading const fine{{1, 2, 4, 8}, 50};
  constexpr std::array kCoarse = {1.};
  auto const coarse = rebucket(fine, kBounds, kCoarse);
  EXPECT_THAT(coarse.counts, ElementsAre(3, 12));
  EXPECT_DOUBLE_EQ(coarse.sum, 50);
}

TEST(UpDown, ReadsTheDifference) {
  UpDown gauge;
  gauge.up(10);
  gauge.down(4);
  EXPECT_EQ(gauge.read(), 6U);
}

}  // namespace
}  // namespace kvgate::metrics
