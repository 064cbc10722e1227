#include "proxy/poison_list.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kvgate::proxy {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kPath = "/v1/completions";

PoisonList::Digest of(std::string_view body, std::string_view target = kPath) {
  return PoisonList::digest_of({target, body}).value();
}

TEST(PoisonList, TwoDifferentEnginesMakePoison) {
  PoisonList list(600s);
  auto const start = Clock::now();
  EXPECT_FALSE(list.is_poison(of("body"), start));
  list.lost(of("body"), 1, start);
  list.lost(of("body"), 1, start);   // several requests with one body were in progress when it went away
  EXPECT_FALSE(list.is_poison(of("body"), start));
  list.lost(of("body"), 2, start + 1s);
  EXPECT_TRUE(list.is_poison(of("body"), start + 1s));
  EXPECT_FALSE(list.is_poison(of("other body"), start + 1s));
  EXPECT_FALSE(list.is_poison(of("body", "/tokenize"), start + 1s));
}

TEST(PoisonList, KnowsARequestByWhatItIs) {
  PoisonList list(600s);
  auto const start = Clock::now();
  list.lost(of("body"), 1, start);
  list.lost(of("body"), 2, start);
  EXPECT_TRUE(list.is_poison({kPath, "body"}, start));
  EXPECT_FALSE(list.is_poison({kPath, "other body"}, start));
  EXPECT_FALSE(list.is_poison({kPath, ""}, start)) << "nothing is never to blame";
  EXPECT_FALSE(PoisonList::digest_of({kPath, ""}));
}

TEST(PoisonList, ForgetsAfterTheTimeToLive) {
  PoisonList list(600s);
  auto const start = Clock::now();
  list.lost(of("body"), 1, start);
  list.lost(of("body"), 2, start + 100s);
  EXPECT_TRUE(list.is_poison(of("body"), start + 699s));
  EXPECT_FALSE(list.is_poison(of("body"), start + 700s));
  list.lost(of("body"), 1, start + 701s);   // begins anew
  EXPECT_FALSE(list.is_poison(of("body"), start + 701s));
}

TEST(PoisonList, IsBounded) {
  PoisonList list(600s);
  auto const start = Clock::now();
  list.lost(of("first"), 1, start);
  for (int i = 0; i < 10'100; ++i) list.lost(of("body " + std::to_string(i)), 1, start);
  list.lost(of("first"), 2, start);
  EXPECT_TRUE(list.is_poison(of("first"), start));
  list.lost(of("body 10099"), 2, start);
  EXPECT_FALSE(list.is_poison(of("body 10099"), start));   // there was no room for it
  list.lost(of("later"), 1, start + 601s);
  list.lost(of("later"), 2, start + 601s);
  EXPECT_TRUE(list.is_poison(of("later"), start + 601s));   // time has made room
}

}  // namespace
}  // namespace kvgate::proxy
