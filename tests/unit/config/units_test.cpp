#include "config/units.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kvgate::config {
namespace {

using std::chrono::milliseconds;

TEST(Units, DurationsRead) {
  std::vector<std::pair<std::string, std::optional<long>>> const table{
      {"0", 0},
      {"0s", 0},
      {"500ms", 500},
      {"2s", 2000},
      {"5m", 300'000},
      {"1h", 3'600'000},
      {"10", 10'000},
      {"0.25", 250},
      {"1.5s", 1500},
      {"0.1s", 100},
      {"1.5ms", {}},
      {"", {}},
      {"s", {}},
      {"-1s", {}},
      {"+1s", {}},
      {"1 s", {}},
      {"1S", {}},
      {"1d", {}},
      {"010", {}},
      {"00", {}},
      {".5s", {}},
      {"1.s", {}},
      {"1e3", {}},
      {"1s2", {}},
      {"0x1", {}},
      {"inf", {}},
      {"nan", {}},
      {"1.2.3s", {}},
      {"9999999999999h", {}},
  };
  for (auto const& [text, expected] : table) {
    auto const value = parse_duration(text);
    ASSERT_EQ(value.has_value(), expected.has_value()) << text;
    if (value) {
      EXPECT_EQ(value->count(), *expected) << text;
    }
  }
}

TEST(Units, SizesRead) {
  std::vector<std::pair<std::string, std::optional<std::uint64_t>>> const table{
      {"0", 0},
      {"1024", 1024},
      {"64KiB", 65536},
      {"64MiB", 67108864},
      {"1GiB", 1073741824},
      {"2TiB", 2199023255552},
      {"64KB", {}},
      {"64k", {}},
      {"1.5GiB", {}},
      {"-1", {}},
      {"010", {}},
      {"KiB", {}},
      {"", {}},
      {"1 KiB", {}},
      {"18446744073709551615", 18446744073709551615ULL},
      {"18446744073709551616", {}},
      {"99999999999TiB", {}},
  };
  for (auto const& [text, expected] : table) EXPECT_EQ(parse_size(text), expected) << text;
}

TEST(Units, NumbersRead) {
  EXPECT_EQ(parse_whole("8000"), 8000U);
  EXPECT_EQ(parse_number("0.5"), 0.5);
  for (char const* bad : {"", "010", "0x1F", "1_000", "+1", "-1", "1e3", "8.0", " 1", "1 "}) {
    EXPECT_FALSE(parse_whole(bad)) << bad;
  }
  for (char const* bad : {"", "01", "inf", "nan", ".5", "1.", "1e3", "-1"}) EXPECT_FALSE(parse_number(bad)) << bad;
}

TEST(Units, FormatsReadBack) {
  for (long ms : {0L, 1L, 999L, 1000L, 1500L, 3500L, 60'000L, 75'000L, 3'600'000L, 3'600'001L}) {
    EXPECT_EQ(parse_duration(format_duration(milliseconds(ms))), milliseconds(ms));
  }
  for (std::uint64_t bytes : {0ULL, 1ULL, 1000ULL, 1024ULL, 65536ULL, 1048577ULL, 1ULL << 30}) {
    EXPECT_EQ(parse_size(format_size(bytes)), bytes);
  }
  for (double value : {1.0, 0.1, 2.5, 999.0, 1.0 / 3}) EXPECT_EQ(parse_number(format_number(value)), value);
  EXPECT_EQ(format_duration(milliseconds(75'000)), "75s");
  EXPECT_EQ(format_size(64 * 1024), "64KiB");
}

}  // namespace
}  // namespace kvgate::config
