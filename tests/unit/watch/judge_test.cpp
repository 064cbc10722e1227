#include <gtest/gtest.h>

#include "watch/engine.hpp"
#include "watch/health.hpp"

namespace kvgate::watch {
namespace {

using fleet::Health;

struct JudgeCase {
  char const* name;
  std::uint32_t fall, rise;
  Health start;
  char const* probes;  ///< + good, - bad, s: the data path makes it suspect
  char const* states;  ///< after each: u unknown, U up, S suspect, D down
};

char letter(Health health) {
  return "uUSD"[static_cast<int>(health)];
}

TEST(Judge, CountsInARow) {
  JudgeCase const cases[] = {
      {"first good probe", 2, 1, Health::unknown, "+", "U"},
      {"one failure is none", 2, 1, Health::up, "-+-+-", "UUUUU"},
      {"two in a row", 2, 1, Health::up, "--", "UD"},
      {"never up", 2, 1, Health::unknown, "--", "uD"},
      {"back with one", 2, 1, Health::down, "-+", "DU"},
      {"rise counts in a row", 1, 3, Health::down, "++-+++", "DDDDDU"},
      {"old successes do not count for a suspect", 2, 2, Health::up, "+++s++", "UUUSSU"},
      {"a suspect goes down by its failures", 2, 1, Health::up, "s--", "SSD"},
      {"a suspect that was about to fall", 2, 1, Health::up, "-s-", "USD"},
      {"old failures do not count after a recovery", 3, 1, Health::up, "--+--", "UUUUU"},
  };
  for (auto const& c : cases) {
    config::Health rules;
    rules.fall = c.fall;
    rules.rise = c.rise;
    Judge judge(rules);
    auto health = c.start;
    std::string states;
    for (char const* probe = c.probes; *probe; ++probe) {
      health = *probe == 's' ? Health::suspect : judge.probed(*probe == '+', health).value_or(health);
      states += letter(health);
    }
    EXPECT_EQ(states, c.states) << c.name;
  }
}

TEST(Jittered, StaysWithinTenPercentAndVaries) {
  Random random(7);
  Clock::duration const nominal = std::chrono::seconds(10);
  auto least = nominal, most = nominal;
  for (int i = 0; i < 1000; ++i) {
    auto const one = jittered(nominal, random);
    least = std::min(least, one);
    most = std::max(most, one);
  }
  EXPECT_GE(least, std::chrono::milliseconds(9'000));
  EXPECT_LE(most, std::chrono::milliseconds(11'000));
  EXPECT_GT(most - least, std::chrono::milliseconds(1'500));
}

}  // namespace
}  // namespace kvgate::watch
