#include "fleet/ring_points.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "unit/fleet/fleet_fixture.hpp"

namespace kvgate::fleet {
namespace {

TEST(RingPoints, ArePlacedByTheMd5OfTheText) {
  struct {
    char const* text;
    RingPoint point;
  } const cases[] = {
      {"", {0xd41d8cd98f00b204, 0xe9800998ecf8427e}},
      {"http://engine-0:8000-0", {0x0e33299979217b46, 0x16fa847f9e56d886}},
  };
  for (auto const& c : cases) EXPECT_EQ(ring_point(c.text), c.point) << c.text;
}

TEST(RingPoints, OfAnEndpointAre160InOrder) {
  auto const endpoint = test::endpoint(test::spec("engine-0"));
  auto const points = endpoint->ring_points();
  ASSERT_EQ(points.size(), 160u);
  EXPECT_TRUE(std::ranges::is_sorted(points));
  EXPECT_EQ(points[0], (RingPoint{0x01fd59f3f6eb86fd, 0xd730f28f25bb1487}));
  EXPECT_TRUE(std::ranges::binary_search(points, ring_point("http://engine-0:8000-159")));
}

TEST(RingPoints, AreComputedOnceWhoeverAsksFirst) {
  auto const endpoint = test::endpoint(test::spec("engine-0"));
  std::vector<std::span<RingPoint const>> seen(4);
  std::vector<std::thread> threads;
  for (auto& s : seen) threads.emplace_back([&] { s = endpoint->ring_points(); });
  for (auto& t : threads) t.join();
  for (auto const& s : seen) {
    EXPECT_EQ(s.data(), seen[0].data());
    EXPECT_EQ(s.size(), 160u);
  }
}

}  // namespace
}  // namespace kvgate::fleet
