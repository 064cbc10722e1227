#include <gtest/gtest.h>

#include "routing/filters/filters.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

std::vector<test::Row> waiting(std::vector<std::uint32_t> const& values) {
  std::vector<test::Row> rows;
  for (auto value : values) rows.push_back({.reported = fleet::Reported{.waiting = value}});
  return rows;
}

std::vector<test::Row> operator+(std::vector<test::Row> rows, test::Row const& row) {
  rows.push_back(row);
  return rows;
}

TEST(NumQueueingRequestsFilter, DropsWhereMoreWaitThanAtTheShare) {
  auto const filter = make_num_queueing_requests({.percentile = 0.5});
  test::expect_keeps(*filter, {
      {"the upper half", waiting({1, 9, 2, 8}), {0, 2}},
      {"all alike", waiting({3, 3, 3}), {0, 1, 2}},
      {"one", waiting({7}), {0}},
      {"as many as at the share stay", waiting({5, 5, 9}), {0, 1}},
      {"not reported stays and is not counted", waiting({1, 9}) + test::Row{.in_flight = 99}, {0, 2}},
      {"nobody reported", {{}, {}}, {0, 1}},
      {"nobody", {}, {}},
  });
  EXPECT_EQ(filter->name(), "num_queueing_requests");
  EXPECT_EQ(filter->on_empty(), OnEmpty::ignore);
}

TEST(NumQueueingRequestsFilter, DefaultDropsTheLongestOfTenQueues) {
  auto const filter = make_num_queueing_requests({});
  test::expect_keeps(*filter, {
      {"ten", waiting({1, 2, 3, 4, 5, 6, 7, 8, 50, 9}), {0, 1, 2, 3, 4, 5, 6, 7, 9}},
      {"four: none is above", waiting({1, 2, 3, 50}), {0, 1, 2, 3}},
  });
}

TEST(NumQueueingRequestsFilter, TheEndsOfTheScale) {
  test::expect_keeps(*make_num_queueing_requests({.percentile = 0}), {{"shortest only", waiting({2, 1, 3}), {1}}});
  test::expect_keeps(*make_num_queueing_requests({.percentile = 1}), {{"everybody", waiting({2, 1, 3}), {0, 1, 2}}});
}

}  // namespace
}  // namespace kvgate::routing
