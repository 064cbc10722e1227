#include "server/engine_facts.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>

#include "unit/fleet/fleet_fixture.hpp"

namespace kvgate::server {
namespace {

using namespace std::chrono_literals;
using metrics::Metric;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr Clock::time_point kNow{1000s};

class EngineFacts : public testing::Test {
 protected:
  /// Without the gate's own index, of which there is always something to tell.
  auto facts() {
    auto facts = engine_facts(member, kNow, 15s);
    std::erase_if(facts.told, [](auto const& one) {
      return one.first >= Metric::prefix_index_bytes && one.first <= Metric::prefix_index_capacity;
    });
    return facts;
  }
  std::optional<double> told(Metric metric) {
    auto const facts = engine_facts(member, kNow, 15s);
    auto const found = std::ranges::find(facts.told, metric, &std::pair<Metric, double>::first);
    return found == facts.told.end() ? std::nullopt : std::optional(found->second);
  }
  void tell(Clock::duration ago) {
    fleet::EngineGauges const told{
        .running = 3, .waiting = 1, .prefix_queries = 10, .prefix_hits = 4, .sleeping = true, .taken = kNow - ago};
    member.endpoint->stats().store({told, {}});
  }

  fleet::Member member{fleet::test::endpoint(fleet::test::spec("a")), {}, nullptr, true};
};

TEST_F(EngineFacts, OnlyWhatTheEngineSaid) {
  EXPECT_THAT(facts().told, testing::IsEmpty());
  tell(4s);
  EXPECT_THAT(facts().told,
              UnorderedElementsAre(Pair(Metric::engine_stats_age, 4), Pair(Metric::engine_running, 3),
                                   Pair(Metric::engine_waiting, 1), Pair(Metric::vllm_waiting, 1),
                                   Pair(Metric::engine_sleeping, 1), Pair(Metric::vllm_prefix_queries, 10),
                                   Pair(Metric::vllm_prefix_hits, 4), Pair(Metric::vllm_prefix_hit_rate, .4)));
}

TEST_F(EngineFacts, OfWhatIsStaleOnlyTheAge) {
  tell(20s);
  EXPECT_THAT(facts().told, UnorderedElementsAre(Pair(Metric::engine_stats_age, 20)));
}

TEST_F(EngineFacts, ScrapesByResultAndTheLearnedSpeed) {
  member.endpoint->stats().count(fleet::ScrapeResult::no_known_series);
  for (int i = 0; i < 8; ++i) member.endpoint->prefill_rate().learn(1000, 100ms);
  EXPECT_THAT(facts().told, UnorderedElementsAre(Pair(Metric::engine_prefill_rate, testing::DoubleNear(10'000, 1))));
  EXPECT_THAT(facts().scrapes, UnorderedElementsAre(Pair("ok", 0), Pair("failed", 0), Pair("no_known_series", 1)));
}

TEST_F(EngineFacts, TheIndexOfPrefixesWithItsCapacityOnceKnown) {
  EXPECT_EQ(told(Metric::prefix_index_blocks), 0);
  EXPECT_EQ(told(Metric::prefix_index_capacity), std::nullopt);
  prefix::BlockHash const blocks[] = {1, 2, 3};
  member.endpoint->cached_blocks().set_capacity(1000);
  member.endpoint->cached_blocks().touch(blocks);
  EXPECT_EQ(told(Metric::prefix_index_blocks), 3);
  EXPECT_EQ(told(Metric::prefix_index_capacity), 1000);
  EXPECT_GT(told(Metric::prefix_index_bytes), 0);
}

}  // namespace
}  // namespace kvgate::server
