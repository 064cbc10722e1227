#include "http/body_tracker.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kvgate::http {
namespace {

struct Case {
  char const* name;
  Framing framing;
  std::uint64_t length;
  std::string bytes, payload;
  std::size_t used;
  bool done;
};

TEST(BodyTracker, TakesWhatBelongsToTheMessage) {
  Case const cases[] = {
      {"none", Framing::none, 0, "next", "", 0, true},
      {"sized", Framing::sized, 3, "abcnext", "abc", 3, true},
      {"sized, more to come", Framing::sized, 5, "abc", "abc", 3, false},
      {"sized, empty", Framing::sized, 0, "next", "", 0, true},
      {"until close", Framing::until_close, 0, "abc", "abc", 3, false},
      {"chunked", Framing::chunked, 0, "2\r\nab\r\n1\r\nc\r\n0\r\n\r\nnext", "abc", 18, true},
      {"chunked, more to come", Framing::chunked, 0, "4\r\nabc", "abc", 6, false},
  };
  for (auto const& c : cases) {
    BodyTracker tracker;
    tracker.start(c.framing, c.length);
    std::string payload;
    auto const fed = tracker.feed(c.bytes, [&](std::string_view piece) { payload += piece; });
    EXPECT_EQ(payload, c.payload) << c.name;
    EXPECT_EQ(fed.used, c.used) << c.name;
    EXPECT_EQ(fed.payload, c.payload.size()) << c.name;
    EXPECT_FALSE(fed.bad) << c.name;
    EXPECT_EQ(tracker.done(), c.done) << c.name;
  }
}

TEST(BodyTracker, LengthsOver32BitsAreCountedDown) {
  BodyTracker tracker;
  tracker.start(Framing::sized, 5'000'000'000u);
  std::string const block(1'000'000, 'x');
  std::uint64_t used = 0;
  while (!tracker.done()) used += tracker.feed(block, [](std::string_view) {}).used;
  EXPECT_EQ(used, 5'000'000'000u);
}

TEST(BodyTracker, SaysThatTheCodingIsBroken) {
  BodyTracker tracker;
  tracker.start(Framing::chunked, 0);
  std::string payload;
  auto const fed = tracker.feed("2\r\nabX", [&](std::string_view piece) { payload += piece; });
  EXPECT_TRUE(fed.bad);
  EXPECT_EQ(payload, "ab");
  EXPECT_FALSE(tracker.done());
}

TEST(BodyTracker, AnEventFitsInOnlyAtABoundary) {
  auto const ignore = [](std::string_view) {};
  BodyTracker tracker;
  tracker.start(Framing::until_close, 0);
  EXPECT_TRUE(tracker.at_boundary());
  tracker.start(Framing::sized, 5);
  EXPECT_FALSE(tracker.at_boundary());
  tracker.start(Framing::chunked, 0);
  EXPECT_TRUE(tracker.at_boundary());
  tracker.feed("2\r\na", ignore);
  EXPECT_FALSE(tracker.at_boundary());
  tracker.feed("b\r\n", ignore);
  EXPECT_TRUE(tracker.at_boundary());
}

TEST(BodyTracker, StartForgetsTheMessageBefore) {
  auto const ignore = [](std::string_view) {};
  BodyTracker tracker;
  tracker.start(Framing::chunked, 0);
  tracker.feed("0\r\n\r\n", ignore);
  ASSERT_TRUE(tracker.done());
  tracker.start(Framing::sized, 2);
  EXPECT_FALSE(tracker.done());
  tracker.start(Framing::chunked, 0);
  EXPECT_FALSE(tracker.done());
}

}  // namespace
}  // namespace kvgate::http
