#include "metrics/prediction_counters.hpp"

#include <gtest/gtest.h>

#include "metrics/registry.hpp"
#include "unit/metrics/allocations.hpp"
#include "unit/metrics/exposition_parser.hpp"

namespace kvgate::metrics {
namespace {

using test::Labels;
using test::value;

class Predictions : public testing::Test {
 protected:
  auto scrape(Clock::time_point now = {}) { return test::parse_exposition(registry.expose(now)); }
  double tokens(char const* name, char const* policy, char const* engine) {
    auto const metric = std::string("kvgate_prediction_") + name + "_tokens_total";
    return value(scrape(), metric, Labels{{"policy", policy}, {"engine", engine}});
  }

  Registry registry{Clock::time_point{}, WallClock::time_point{}};
  WorkerMetrics& first = registry.add_worker();
  WorkerMetrics& second = registry.add_worker();
  std::uint32_t const a = registry.intern_engine("http://a:1");
  std::uint32_t const b = registry.intern_engine("http://b:1");
};

TEST_F(Predictions, AreSummedByPolicyAndEngine) {
  first.predicted("prefix_affinity", a, {1000, 800, 790});
  second.predicted("prefix_affinity", a, {100, 0, 48});
  second.predicted("prefix_affinity", b, {10, 5, 5});
  second.predicted("session", a, {7, 1, 2});
  EXPECT_EQ(tokens("prompt", "prefix_affinity", "http://a:1"), 1100);
  EXPECT_EQ(tokens("predicted_cached", "prefix_affinity", "http://a:1"), 800);
  EXPECT_EQ(tokens("reported_cached", "prefix_affinity", "http://a:1"), 838);
  EXPECT_EQ(tokens("prompt", "prefix_affinity", "http://b:1"), 10);
  EXPECT_EQ(tokens("reported_cached", "session", "http://a:1"), 2);
}

TEST_F(Predictions, ErrorsAreDistancesByPolicy) {
  first.predicted("prefix_affinity", a, {1000, 800, 800});
  first.predicted("prefix_affinity", b, {1000, 800, 780});
  second.predicted("prefix_affinity", b, {1000, 300, 800});
  auto const metrics = scrape();
  auto const at_most = [&](char const* bound) {
    return value(metrics, "kvgate_prediction_error_tokens_bucket", Labels{{"policy", "prefix_affinity"}, {"le", bound}});
  };
  EXPECT_EQ(at_most("0"), 1);
  EXPECT_EQ(at_most("16"), 1);
  EXPECT_EQ(at_most("64"), 2);
  EXPECT_EQ(at_most("1024"), 3);
  EXPECT_EQ(value(metrics, "kvgate_prediction_error_tokens_sum", Labels{{"policy", "prefix_affinity"}}), 520);
}

TEST_F(Predictions, OfAnEngineThatLeftGoAlong) {
  first.predicted("session", a, {7, 1, 2});
  registry.engine_departed(a, Clock::time_point{});
  auto const later = test::parse_exposition(registry.expose(Clock::time_point{} + Registry::kDepartedStay));
  EXPECT_FALSE(test::has(later, "kvgate_prediction_prompt_tokens_total", {{"policy", "session"}, {"engine", "http://a:1"}}));
}

TEST_F(Predictions, DoNotAllocateAfterTheFirstTime) {
  first.predicted("session", b, {1, 1, 1});
  auto const before = test::allocations();
  for (int i = 0; i < 1000; ++i) first.predicted("session", b, {1, 1, 1});
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace kvgate::metrics
