#include "proxy/response_owners.hpp"

#include <gtest/gtest.h>

#include "unit/fleet/fleet_fixture.hpp"

namespace kvgate::proxy {
namespace {

std::shared_ptr<fleet::Endpoint> engine(char const* host) { return fleet::test::endpoint(fleet::test::spec(host)); }

TEST(ResponseOwners, FindsTheEngineThatMadeTheId) {
  ResponseOwners owners(10);
  auto const a = engine("a"), b = engine("b");
  EXPECT_FALSE(owners.find("resp_1"));
  owners.learn("resp_1", a);
  owners.learn("resp_2", b);
  EXPECT_EQ(owners.find("resp_1"), a);
  EXPECT_EQ(owners.find("resp_2"), b);
  EXPECT_FALSE(owners.find("resp_3"));
  EXPECT_FALSE(owners.find(""));
}

TEST(ResponseOwners, KeepsItsOwnCopyOfTheId) {
  ResponseOwners owners(10);
  std::string id = "resp_1";
  owners.learn(id, engine("a"));
  id = "xxxxxx";
  EXPECT_TRUE(owners.find("resp_1"));
}

TEST(ResponseOwners, TheLeastRecentlyUsedGoesFirst) {
  ResponseOwners owners(3);
  auto const a = engine("a");
  for (auto const* id : {"1", "2", "3"}) owners.learn(id, a);
  EXPECT_TRUE(owners.find("1"));
  owners.learn("2", a);
  owners.learn("4", a);
  EXPECT_FALSE(owners.find("3"));
  for (auto const* id : {"1", "2", "4"}) EXPECT_TRUE(owners.find(id)) << id;
}

TEST(ResponseOwners, LearningAgainReplacesTheOwner) {
  ResponseOwners owners(2);
  auto a = engine("a");
  auto const b = engine("b");
  std::weak_ptr<fleet::Endpoint> const watch = a;
  owners.learn("1", std::move(a));
  owners.learn("1", b);
  EXPECT_EQ(owners.find("1"), b);
  EXPECT_TRUE(watch.expired());
  owners.learn("2", b);
  EXPECT_TRUE(owners.find("1"));   // one entry, not two
}

TEST(ResponseOwners, StaysBoundedAndConsistentOverManyIds) {
  ResponseOwners owners(100);
  auto const a = engine("a");
  for (int i = 0; i < 5000; ++i) owners.learn("resp_" + std::to_string(i), a);
  EXPECT_EQ(a.use_count(), 101);
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(owners.find("resp_" + std::to_string(i)) != nullptr, i >= 4900);
}

}  // namespace
}  // namespace kvgate::proxy
