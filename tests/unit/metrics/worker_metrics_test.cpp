#include "metrics/worker_metrics.hpp"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <string>

#include "unit/metrics/allocations.hpp"

namespace kvgate::metrics {
namespace {

TEST(WorkerMetrics, OneSeriesPerKeyAlsoAfterManyInsertions) {
  WorkerMetrics worker;
  std::set<RequestSeries*> distinct;
  for (int round = 0; round < 2; ++round) {
    for (std::uint16_t route = 0; route < 5; ++route) {
      for (std::uint32_t model = 0; model < 10; ++model) {
        for (std::uint32_t engine = 0; engine < 20; ++engine) {
          auto* const series = worker.request_series(route, model, engine);
          distinct.insert(series);
          ASSERT_EQ(series->key(), (SeriesKey{route, model, engine}));
        }
      }
    }
    EXPECT_EQ(distinct.size(), 1000U);
  }
  EXPECT_EQ(worker.all_series().size(), 1000U);
}

void one_request(WorkerMetrics& worker) {
  RequestSeries& series = *worker.request_series(1, 2, 3);
  worker.connection_opened();
  worker.decided("least_loaded", "fewest_in_flight", 3e-6);
  worker.filtered("healthy");
  EngineLeg leg(series);
  leg.first_body_byte();
  series.ttft(.1);
  series.itl(.01, 20);
  series.tokens({100, 50, 20});
  series.finished(200, .3);
  worker.error(ErrorKind::engine_lost);
  worker.connection_closed();
}

TEST(WorkerMetrics, RequestPathDoesNotAllocateAfterTheFirstTime) {
  WorkerMetrics worker;
  one_request(worker);
  auto const before = test::allocations();
  for (int i = 0; i < 1000; ++i) one_request(worker);
  EXPECT_EQ(test::allocations(), before);
}

TEST(LabelCounters, FoldWhatIsBeyondTheirBound) {
  std::mutex mutex;
  LabelCounters counters(mutex);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < 2 * LabelCounters::kMost; ++i) names.push_back("name" + std::to_string(i));
  for (auto const& name : names) counters.add(name);
  std::size_t cells = 0;
  std::uint64_t other = 0;
  counters.read([&](std::string_view first, std::string_view, std::uint64_t n) {
    ++cells;
    if (first == "other") other = n;
  });
  EXPECT_EQ(cells, LabelCounters::kMost);
  EXPECT_EQ(other, LabelCounters::kMost + 1);
}

TEST(StatusCounters, FoldStrangeAndTooManyStatuses) {
  StatusCounters counters;
  for (int const status : {0, -1, 99, 600, 100000}) counters.add(status);
  for (int status = 200; status < 300; ++status) counters.add(status);
  counters.add(200);
  std::map<int, std::uint64_t> seen;
  counters.each([&](int status, std::uint64_t n) { seen[status] = n; });
  EXPECT_EQ(seen.size(), StatusCounters::kSlots + 1);
  EXPECT_EQ(seen[200], 2U);
  EXPECT_EQ(seen[0], 5U + 100U - StatusCounters::kSlots);
}

}  // namespace
}  // namespace kvgate::metrics
