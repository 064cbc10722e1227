#include <gtest/gtest.h>

#include "routing/policies/policies.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

constexpr std::uint64_t kPrompt = 1000;   // tokens

struct Case {
  char const* name;
  std::vector<test::Row> rows;
  std::optional<std::size_t> picked;
  std::string_view why;
};

Fact tokens(std::uint32_t n) { return Fact{n}; }

void expect(PrefixOptions const& options, std::vector<Case> const& cases, std::uint64_t prompt_tokens = kPrompt) {
  auto const policy = make_prefix_affinity(options);
  for (auto const& c : cases) {
    openai::RequestView const view;
    RequestKeys const keys;
    PromptFacts prompt(view, PromptFacts::Recorded{prompt_tokens, 0});
    RouteContext const context{view, prompt, keys, "m", Clock::time_point{}, 0};
    test::Candidates candidates(c.rows);
    auto const choice = policy->pick(context, candidates.list());
    EXPECT_EQ(choice.index, c.picked) << c.name;
    EXPECT_EQ(choice.why.code, c.why) << c.name;
  }
}

TEST(PrefixAffinity, CostWeighsWhatIsCachedAgainstWhatWaits) {
  expect({}, {
      {"cached", {{.text_prefix = tokens(0)}, {.text_prefix = tokens(800)}, {.text_prefix = tokens(600)}}, 1, "cached_prefix"},
      {"nowhere: the least work", {{.prefill_tokens = 500, .text_prefix = tokens(0)}, {.text_prefix = tokens(0)}}, 1, "least_work"},
      {"nowhere and idle: longest ago", {{.last_pick = 5, .text_prefix = tokens(0)}, {.last_pick = 3, .text_prefix = tokens(0)}}, 1, "least_work"},
      {"the queue is shorter than the recompute", {{.prefill_tokens = 500, .text_prefix = tokens(800)}, {.text_prefix = tokens(0)}}, 0, "cached_prefix"},
      {"and longer", {{.prefill_tokens = 2000, .text_prefix = tokens(800)}, {.text_prefix = tokens(0)}}, 1, "least_work"},
      {"requests that decode count a little", {{.in_flight = 20, .text_prefix = tokens(0)}, {.in_flight = 2, .text_prefix = tokens(0)}}, 1, "least_work"},
      {"but less than a prefix", {{.in_flight = 20, .text_prefix = tokens(800)}, {.in_flight = 2, .text_prefix = tokens(0)}}, 0, "cached_prefix"},
      {"nothing is known of one", {{.prefill_tokens = 900}, {.text_prefix = tokens(200)}}, 1, "cached_prefix"},
  });
}

TEST(PrefixAffinity, CostCountsAtTheSpeedOfEachEngine) {
  expect({}, {
      {"the fast one computes it sooner", {{.text_prefix = tokens(0), .prefill_speed = 5000}, {.text_prefix = tokens(0), .prefill_speed = 10000}}, 1, "least_work"},
      {"although more waits there", {{.text_prefix = tokens(0), .prefill_speed = 5000}, {.prefill_tokens = 700, .text_prefix = tokens(0), .prefill_speed = 10000}}, 1, "least_work"},
      {"but not when much waits", {{.text_prefix = tokens(0), .prefill_speed = 5000}, {.prefill_tokens = 1500, .text_prefix = tokens(0), .prefill_speed = 10000}}, 0, "least_work"},
      {"not while one's speed is unknown: weights count", {{.weight = 2, .text_prefix = tokens(0), .prefill_speed = 5000}, {.text_prefix = tokens(0)}}, 0, "least_work"},
  });
}

TEST(PrefixAffinity, ACopyThatEvictsCostsExtra) {
  expect({.queue_weight = 1, .copy_weight = 0.5}, {
      {"room for a copy", {{.prefill_tokens = 1000, .text_prefix = tokens(800), .cache_room = 5000}, {.text_prefix = tokens(0), .cache_room = 5000}}, 1, "least_work"},
      {"no room", {{.prefill_tokens = 1000, .text_prefix = tokens(800), .cache_room = 0}, {.text_prefix = tokens(0), .cache_room = 0}}, 0, "cached_prefix"},
      {"room is not known", {{.prefill_tokens = 1000, .text_prefix = tokens(800)}, {.text_prefix = tokens(0)}}, 1, "least_work"},
  });
}

TEST(PrefixAffinity, NewPromptsGoWhereTheCacheIsEmptier) {
  expect({}, {
      {"emptier", {{.text_prefix = tokens(0), .cache_fill = 0.9}, {.last_pick = 9, .text_prefix = tokens(0), .cache_fill = 0.5}}, 1, "least_work"},
      {"but not from where they are cached", {{.text_prefix = tokens(100), .cache_fill = 0.9}, {.text_prefix = tokens(0), .cache_fill = 0.5}}, 0, "cached_prefix"},
      {"nor into a queue", {{.text_prefix = tokens(0), .cache_fill = 1}, {.prefill_tokens = 500, .text_prefix = tokens(0)}}, 0, "least_work"},
  });
}

TEST(PrefixAffinity, LongestKnowsNoLoad) {
  expect({.mode = "longest"}, {
      {"longest", {{.text_prefix = tokens(100)}, {.in_flight = 500, .prefill_tokens = 90'000, .text_prefix = tokens(101)}}, 1, "longest_prefix"},
      {"tie: longest ago", {{.last_pick = 2, .text_prefix = tokens(100)}, {.last_pick = 1, .text_prefix = tokens(100)}}, 1, "longest_prefix"},
  });
}

TEST(PrefixAffinity, ThresholdIsTheRuleOfTheRustGateways) {
  expect({.mode = "threshold"}, {
      {"over the threshold", {{.text_prefix = tokens(0)}, {.in_flight = 9, .text_prefix = tokens(301)}}, 1, "cached_prefix"},
      {"at it", {{.text_prefix = tokens(0)}, {.in_flight = 9, .text_prefix = tokens(300)}}, 0, "below_threshold"},
      {"imbalanced", {{.in_flight = 100, .text_prefix = tokens(900)}, {.in_flight = 35, .text_prefix = tokens(0)}}, 1, "imbalanced"},
      {"the difference alone is not", {{.in_flight = 200, .text_prefix = tokens(900)}, {.in_flight = 135, .text_prefix = tokens(0)}}, 0, "cached_prefix"},
      {"nor the ratio", {{.in_flight = 64, .text_prefix = tokens(900)}, {.text_prefix = tokens(0)}}, 0, "cached_prefix"},
  });
}

TEST(PrefixAffinity, AbstainsWithoutTextAndBelowTheLeastMatch) {
  for (auto const* mode : {"cost", "longest", "threshold"}) {
    PrefixOptions options;
    options.mode = mode;
    options.min_match = 2000;   // bytes: 500 tokens
    expect(options, {
        {"below", {{.text_prefix = tokens(499)}, {.text_prefix = tokens(0)}}, std::nullopt, "short_match"},
    });
    expect(options, {{"no text", {{.text_prefix = tokens(0)}}, std::nullopt, "no_text"}}, 1);
  }
  expect({.min_match = 2000}, {{"reached", {{.text_prefix = tokens(500)}, {}}, 0, "cached_prefix"}});
}

TEST(PrefixAffinity, TellsItsCosts) {
  openai::RequestView const view;
  RequestKeys const keys;
  PromptFacts prompt(view, PromptFacts::Recorded{kPrompt, 0});
  RouteContext const context{view, prompt, keys, "m", Clock::time_point{}, 0};
  test::Candidates candidates({{.prefill_tokens = 100, .text_prefix = tokens(800)}, {.in_flight = 1, .text_prefix = tokens(0)}});
  double costs[2] = {};
  make_prefix_affinity({.queue_weight = 2, .decode_weight = 10})->costs(context, candidates.list(), costs);
  EXPECT_DOUBLE_EQ(costs[0], 200 + 2 * 100);
  EXPECT_DOUBLE_EQ(costs[1], 1000 + 10);
}

}  // namespace
}  // namespace kvgate::routing
