#include "proxy/poison_list.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kvgate::proxy {
namespace {

using namespace std::chrono_literals;

class PoisonListTest : public testing::Test {
 protected:
  Clock::time_point const start{1000h};
  PoisonList list{600s};
};

TEST_F(PoisonListTest, TwoLossesMakePoison) {
  EXPECT_FALSE(list.is_poison("body", start));
  list.lost("body", start);
  EXPECT_FALSE(list.is_poison("body", start));
  list.lost("body", start + 1s);
  EXPECT_TRUE(list.is_poison("body", start + 1s));
  EXPECT_FALSE(list.is_poison("other body", start + 1s));
  EXPECT_FALSE(list.is_poison("", start + 1s));
}

TEST_F(PoisonListTest, LastsForItsTimeFromTheLastLoss) {
  list.lost("body", start);
  list.lost("body", start + 100s);
  EXPECT_TRUE(list.is_poison("body", start + 699s));
  EXPECT_FALSE(list.is_poison("body", start + 700s));
  list.lost("body", start + 701s);   // begins anew
  EXPECT_FALSE(list.is_poison("body", start + 701s));
}

TEST_F(PoisonListTest, LossesFarApartAreChance) {
  list.lost("body", start);
  list.lost("body", start + 600s);
  EXPECT_FALSE(list.is_poison("body", start + 600s));
}

TEST_F(PoisonListTest, LargeBodiesDifferByOneByte) {
  std::string body(1 << 20, 'x');
  list.lost(body, start);
  list.lost(body, start);
  EXPECT_TRUE(list.is_poison(body, start));
  body.back() = 'y';
  EXPECT_FALSE(list.is_poison(body, start));
}

TEST_F(PoisonListTest, IsBoundedAndKeepsWhatItHas) {
  list.lost("first", start);
  for (int i = 0; i < 10'100; ++i) list.lost("body " + std::to_string(i), start);
  list.lost("first", start);
  EXPECT_TRUE(list.is_poison("first", start));
  list.lost("body 10099", start);
  EXPECT_FALSE(list.is_poison("body 10099", start));   // there was no room for it
  list.lost("later", start + 601s);
  list.lost("later", start + 601s);
  EXPECT_TRUE(list.is_poison("later", start + 601s));   // time has made room
}

}  // namespace
}  // namespace kvgate::proxy
