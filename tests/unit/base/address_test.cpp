#include "base/address.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>

namespace kvgate {
namespace {

struct Literal {
  char const* host;
  char const* host_shown;
  char const* shown;
};

TEST(Address, ReadsLiteralsAndShowsThem) {
  Literal const cases[] = {
      {"127.0.0.1", "127.0.0.1", "127.0.0.1:8000"},
      {"0.0.0.0", "0.0.0.0", "0.0.0.0:8000"},
      {"::1", "::1", "[::1]:8000"},
      {"2001:DB8:0:0::1", "2001:db8::1", "[2001:db8::1]:8000"},
      {"::ffff:10.0.0.1", "10.0.0.1", "10.0.0.1:8000"},
  };
  for (auto const& c : cases) {
    auto const address = address_of_literal(c.host, 8000);
    ASSERT_TRUE(address) << c.host;
    EXPECT_EQ(host_text(*address), c.host_shown);
    EXPECT_EQ(address_text(*address), c.shown);
    EXPECT_EQ(port_of(*address), 8000);
  }
}

TEST(Address, NamesAreNoLiterals) {
  for (auto const* host : {"", "localhost", "engine-0.engines", "[::1]", "fe80::1%eth0", "127.1", "1.2.3.4.5",
                           "1.2.3.256", "0x7f000001", "127.0.0.1:80", "127.0.0.1 ", "1234"})
    EXPECT_FALSE(address_of_literal(host, 80)) << host;
}

TEST(Address, EqualsByHostAndPort) {
  auto const of = [](char const* host, std::uint16_t port) { return *address_of_literal(host, port); };
  EXPECT_EQ(of("127.0.0.1", 80), of("127.0.0.1", 80));
  EXPECT_EQ(of("::1", 80), of("0:0::1", 80));
  EXPECT_FALSE(of("127.0.0.1", 80) == of("127.0.0.1", 81));
  EXPECT_FALSE(of("127.0.0.1", 80) == of("127.0.0.2", 80));
  EXPECT_FALSE(of("127.0.0.1", 80) == of("::ffff:127.0.0.1", 80));
}

TEST(Address, AnUnsetOneIsHarmless) {
  SocketAddress const unset;
  EXPECT_EQ(host_text(unset), "");
  EXPECT_EQ(port_of(unset), 0);
  EXPECT_EQ(unset, SocketAddress());
}

}  // namespace
}  // namespace kvgate
