#include "base/ascii.hpp"

#include <gtest/gtest.h>

namespace kvgate {
namespace {

TEST(Iequals, ComparesAsciiOnly) {
  EXPECT_TRUE(iequals("aZ-09", "Az-09"));
  EXPECT_FALSE(iequals("a", "ab"));
  EXPECT_FALSE(iequals("[", "{"));
  EXPECT_FALSE(iequals("@", "`"));
  EXPECT_FALSE(iequals("\xc4", "\xe4"));
}

}  // namespace
}  // namespace kvgate
