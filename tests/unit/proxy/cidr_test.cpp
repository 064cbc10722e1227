#include "proxy/cidr.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace kvgate::proxy {
namespace {

struct Case {
  std::vector<std::string> entries;
  char const* address;
  bool contained;
};

TEST(CidrList, Contains) {
  Case const cases[] = {
      {{}, "127.0.0.1", false},
      {{"192.0.2.1"}, "192.0.2.1", true},
      {{"192.0.2.1"}, "192.0.2.2", false},
      {{"10.0.0.0/8"}, "10.255.255.255", true},
      {{"10.0.0.0/8"}, "11.0.0.0", false},
      {{"10.1.2.3/8"}, "10.9.9.9", true},           // bits behind the prefix do not count
      {{"10.0.0.128/25"}, "10.0.0.127", false},
      {{"10.0.0.128/25"}, "10.0.0.200", true},
      {{"10.0.0.0/31"}, "10.0.0.1", true},
      {{"10.0.0.0/31"}, "10.0.0.2", false},
      {{"0.0.0.0/0"}, "203.0.113.9", true},
      {{"0.0.0.0/0"}, "2001:db8::1", false},
      {{"2001:db8::/32"}, "2001:db8:ffff::1", true},
      {{"2001:db8::/32"}, "2001:db9::1", false},
      {{"::1"}, "::1", true},
      {{"::1/128"}, "::2", false},
      {{"::/0"}, "2001:db8::1", true},
      {{"10.0.0.0/8"}, "::ffff:10.1.1.1", true},    // a dual-stack listener shows IPv4 clients like this
      {{"::ffff:10.0.0.0/104"}, "10.1.1.1", true},
      {{"127.0.0.1", "10.0.0.0/8"}, "10.1.1.1", true},
  };
  for (auto const& c : cases)
    EXPECT_EQ(CidrList(c.entries).contains(*address_of_literal(c.address, 1)), c.contained)
        << testing::PrintToString(c.entries) << ' ' << c.address;
}

TEST(CidrList, AnUnknownFamilyIsNowhere) {
  std::string const entries[] = {"0.0.0.0/0"};
  EXPECT_FALSE(CidrList(entries).contains(SocketAddress()));
}

TEST(CidrList, RefusesMalformedEntriesByName) {
  for (std::string const entry : {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8x",
                                  "10.0.0.0/8/8", "10.0.0/8", "localhost", "::/129", "[::1]", "10.0.0.0 /8"}) {
    std::string const entries[] = {"127.0.0.1", entry};
    try {
      CidrList list(entries);
      ADD_FAILURE() << entry;
    } catch (std::invalid_argument const& error) {
      EXPECT_NE(std::string(error.what()).find("'" + entry + "'"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace kvgate::proxy
