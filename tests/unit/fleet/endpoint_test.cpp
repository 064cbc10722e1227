#include "fleet/endpoint.hpp"

#include <gtest/gtest.h>

#include "fleet_fixture.hpp"

namespace kvgate::fleet {
namespace {

using test::endpoint;
using test::spec;

TEST(Endpoint, KnowsTheAddressOfALiteral) {
  struct {
    char const* host;
    char const* address;   ///< "": a name, to be resolved
  } const cases[] = {{"127.0.0.1", "127.0.0.1:8000"}, {"::1", "[::1]:8000"}, {"engine", ""}, {"engine.local", ""}};
  for (auto const& c : cases) {
    auto const addresses = endpoint(spec(c.host))->addresses();
    ASSERT_TRUE(addresses) << c.host;
    EXPECT_EQ(addresses->empty() ? "" : address_text(addresses->front()), c.address);
  }
}

TEST(Endpoint, OldAddressesStayValidForTheirReaders) {
  auto const engine = endpoint(spec("engine"));
  engine->set_addresses({*address_of_literal("10.0.0.1", 8000)});
  auto const before = engine->addresses();
  engine->set_addresses({*address_of_literal("10.0.0.2", 8000), *address_of_literal("10.0.0.3", 8000)});
  EXPECT_EQ(address_text(before->at(0)), "10.0.0.1:8000");
  EXPECT_EQ(engine->addresses()->size(), 2u);
}

TEST(Endpoint, StartsUnknownAndIdle) {
  auto const engine = endpoint(spec("engine"));
  EXPECT_EQ(engine->health(), Health::unknown);
  EXPECT_EQ(engine->load().in_flight, 0u);
  EXPECT_EQ(engine->load().prefill_tokens, 0u);
}

TEST(Endpoint, ChangesHealthOnlyFromWhatWasExpected) {
  auto const engine = endpoint(spec("engine"));
  auto expected = Health::up;
  EXPECT_FALSE(engine->change_health(expected, Health::down));
  EXPECT_EQ(expected, Health::unknown);
  EXPECT_TRUE(engine->change_health(expected, Health::down));
  EXPECT_EQ(engine->health(), Health::down);
}

}  // namespace
}  // namespace kvgate::fleet
