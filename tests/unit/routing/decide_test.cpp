#include "routing/decide.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "candidates.hpp"

namespace kvgate::routing {
namespace {

using Rows = std::vector<std::size_t>;

/// Keeps the candidates with at most this load.
class AtMost final : public EndpointFilter {
 public:
  AtMost(std::string_view name, std::uint32_t most, OnEmpty on_empty) : name_(name), most_(most), on_empty_(on_empty) {}
  std::string_view name() const noexcept override { return name_; }
  OnEmpty on_empty() const noexcept override { return on_empty_; }
  void apply(RouteContext const&, Shortlist& shortlist) const override {
    shortlist.keep_if([this](Candidate const& c) { return c.load.in_flight <= most_; });
  }

 private:
  std::string_view name_;
  std::uint32_t most_;
  OnEmpty on_empty_;
};

class Scripted final : public RoutingPolicy {
 public:
  Scripted(std::string_view name, std::optional<std::size_t> index) : name_(name), index_(index) {}
  std::string_view name() const noexcept override { return name_; }
  Choice pick(RouteContext const&, std::span<Candidate const>) const override { return {index_, {"scripted", 1, 2}}; }

 private:
  std::string_view name_;
  std::optional<std::size_t> index_;
};

struct Case {
  char const* name;
  std::function<void(Plan&)> build;
  std::string_view decider;
  Rows left;
  std::optional<std::size_t> row;   ///< nullopt: refused
};

void filter(Plan& plan, std::string_view name, std::uint32_t most, OnEmpty on_empty) {
  plan.filters.push_back(std::make_unique<AtMost>(name, most, on_empty));
}
void policy(Plan& plan, std::string_view name, std::optional<std::size_t> index) {
  plan.policies.push_back(std::make_unique<Scripted>(name, index));
}

TEST(Decide, FiltersInOrderThenTheFirstOpinion) {
  auto const refuse = OnEmpty::refuse, ignore = OnEmpty::ignore;
  Case const cases[] = {
      {"no filter", [](Plan& p) { policy(p, "one", 2); }, "one", {0, 1, 2}, 2},
      {"the index counts what is left",
       [&](Plan& p) { filter(p, "f", 5, refuse), policy(p, "one", 0); }, "one", {1, 2}, 1},
      {"the first one abstains", [](Plan& p) { policy(p, "one", {}), policy(p, "two", 1); }, "two", {0, 1, 2}, 1},
      {"later opinions do not count", [](Plan& p) { policy(p, "one", 0), policy(p, "two", 1); }, "one", {0, 1, 2}, 0},
      {"refused", [&](Plan& p) { filter(p, "f", 0, refuse), policy(p, "one", 0); }, "f", {}, {}},
      {"the second filter refuses",
       [&](Plan& p) { filter(p, "f", 5, refuse), filter(p, "g", 0, refuse), policy(p, "one", 0); }, "g", {}, {}},
      {"an ignorable filter that leaves nobody is as if absent",
       [&](Plan& p) { filter(p, "f", 0, ignore), policy(p, "one", 0); }, "one", {0, 1, 2}, 0},
      {"it undoes only itself",
       [&](Plan& p) { filter(p, "f", 5, refuse), filter(p, "g", 0, ignore), policy(p, "one", 1); }, "one", {1, 2}, 2},
      {"it prunes when somebody is left",
       [&](Plan& p) { filter(p, "f", 1, ignore), policy(p, "one", 0); }, "one", {2}, 2},
      {"nobody has an opinion", [](Plan& p) { policy(p, "one", {}); }, "policies", {0, 1, 2}, {}},
  };
  for (auto const& c : cases) {
    Plan plan;
    c.build(plan);
    test::Context context;
    test::Candidates candidates({{.in_flight = 9}, {.in_flight = 5}, {.in_flight = 1}});
    auto const verdict = decide(plan, context.context, candidates.list());
    EXPECT_EQ(verdict.decider, c.decider) << c.name;
    EXPECT_EQ(candidates.rows_left(), c.left) << c.name;
    ASSERT_EQ(verdict.chosen != nullptr, c.row.has_value()) << c.name;
    if (c.row) { EXPECT_EQ(candidates.row_of(*verdict.chosen), *c.row) << c.name; }
    EXPECT_EQ(verdict.why.code, c.row ? "scripted" : "nobody_left") << c.name;
  }
}

TEST(Decide, ARefusalSaysHowManyThereWere) {
  Plan plan;
  filter(plan, "f", 0, OnEmpty::refuse);
  test::Context context;
  test::Candidates candidates({{.in_flight = 1}, {.in_flight = 1}});
  auto const verdict = decide(plan, context.context, candidates.list());
  EXPECT_EQ(verdict.why.got, 0);
  EXPECT_EQ(verdict.why.wanted, 2);
}

TEST(Decide, TheTraceTellsWhatWasDroppedAndWhatWouldHaveBeen) {
  Plan plan;
  filter(plan, "f", 5, OnEmpty::refuse);
  filter(plan, "g", 0, OnEmpty::ignore);
  policy(plan, "one", 0);
  for (bool const detailed : {false, true}) {
    test::Context context;
    test::Candidates candidates({{.in_flight = 9}, {.in_flight = 5}, {.in_flight = 1}});
    auto const first = candidates.list()[0].endpoint, second = candidates.list()[1].endpoint;
    auto const third = candidates.list()[2].endpoint;
    Trace trace;
    trace.detailed = detailed;
    decide(plan, context.context, candidates.list(), &trace);
    ASSERT_EQ(trace.drops.size(), 2u);
    EXPECT_EQ(trace.drops[0].count, 1u);
    EXPECT_FALSE(trace.drops[0].ignored);
    EXPECT_EQ(trace.drops[1].count, 2u);
    EXPECT_TRUE(trace.drops[1].ignored);
    if (!detailed) continue;
    EXPECT_EQ(trace.drops[0].endpoints, (std::vector{first}));
    EXPECT_EQ(trace.drops[1].endpoints, (std::vector{second, third}));
  }
}

TEST(Decide, AnEmptyFleetIsRefused) {
  auto const plan = make_plan({}, {});
  test::Context context;
  std::vector<Candidate> nobody;
  EXPECT_EQ(decide(plan, context.context, nobody).chosen, nullptr);
}

TEST(Catalogue, MakesEveryNameThatItLists) {
  for (auto const name : policy_names()) {
    std::string const names[] = {std::string(name)};
    auto const plan = make_plan(names, {});
    EXPECT_EQ(plan.policies.front()->name(), name);
    EXPECT_TRUE(plan.policies.back()->always_picks());
  }
  for (auto const name : filter_names()) {
    std::string const names[] = {std::string(name)};
    EXPECT_EQ(make_plan({}, names).filters.front()->name(), name);
  }
}

TEST(Catalogue, FallsBackToLeastLoadedAndRefusesStrangers) {
  EXPECT_EQ(make_plan({}, {}).policies.front()->name(), "least_loaded");
  std::string const chain[] = {"random"};
  EXPECT_EQ(make_plan(chain, {}).policies.size(), 1u);
  std::string const strange[] = {"best"};
  EXPECT_THROW(make_plan(strange, {}), std::invalid_argument);
  EXPECT_THROW(make_plan({}, strange), std::invalid_argument);
}

TEST(Catalogue, GivesModelsTheirOwnChains) {
  Options options;
  options.policies = {"round_robin"};
  options.models["own"].policies = {"session"};
  options.models["filtered"].filters = {"model"};
  Plans const plans(options);
  EXPECT_EQ(plans.of("any").policies.front()->name(), "round_robin");
  EXPECT_EQ(plans.of("any").filters.size(), options.filters.size());
  EXPECT_EQ(plans.of("own").policies.front()->name(), "session");
  EXPECT_EQ(plans.of("own").policies.back()->name(), "least_loaded");
  EXPECT_EQ(plans.of("own").filters.size(), options.filters.size());
  EXPECT_EQ(plans.of("filtered").filters.size(), 1u);
}

TEST(Catalogue, PlansKnowWhatTheyNeed) {
  Options options;
  options.policies = {"round_robin"};
  options.models["m"].policies = {"prefix_affinity"};
  Plans const plans(options);
  EXPECT_TRUE(plans.of("other").needs.empty());
  EXPECT_TRUE(plans.of("m").needs.has(Signal::text_prefix));
}

struct PromptCase {
  std::string prompt, messages;
  std::uint64_t tokens;
};

TEST(PromptFacts, GuessesTokensFromBytes) {
  PromptCase const cases[] = {{"", "", 1}, {"\"a\"", "", 1}, {std::string(400, 'x'), "", 100},
                              {std::string(200, 'x'), std::string(200, 'x'), 100}};
  for (auto const& c : cases) {
    openai::RequestView view;
    view.prompt = c.prompt;
    view.messages = c.messages;
    prefix::PromptBlocks blocks;
    EXPECT_EQ(PromptFacts(view, "m", blocks).tokens(), c.tokens);
  }
}

TEST(PromptFacts, CountsTokensThatCameAsNumbersOnce) {
  openai::RequestView view;
  view.api = openai::ApiKind::completions;
  std::string ids = "[1";
  for (int i = 1; i < 400; ++i) ids += ",7";
  ids += ']';
  view.prompt = ids;
  prefix::PromptBlocks blocks;
  PromptFacts prompt(view, "m", blocks);
  ASSERT_FALSE(prompt.blocks().empty());
  EXPECT_NEAR(static_cast<double>(prompt.tokens()), 400, 5);
}

TEST(PromptFacts, AreOfTheTokensWhereTheyAreKnown) {
  test::Context text("What the engines make of this is known.");
  std::vector<std::uint32_t> const ids(33, 5);
  text.prompt.tokenized(ids);
  EXPECT_EQ(text.prompt.tokens(), 33u);
  EXPECT_EQ(text.prompt.blocks().size(), 2u);
  prefix::PromptBlocks blocks;
  prefix::hash_tokens(ids, prefix::prompt_seed("m", ""), blocks);
  EXPECT_TRUE(std::ranges::equal(text.prompt.blocks(), blocks.hashes));
  EXPECT_EQ(text.prompt.tokens(), 33u);
}

TEST(PromptFacts, CountsDecodedTextOnceItIsHashed) {
  test::Context plain(std::string(4000, 'x'));
  test::Context escaped;
  for (int i = 0; i < 4000; ++i) escaped.messages += "\\u0078";
  escaped.messages = R"([{"role":"user","content":")" + escaped.messages + R"("}])";
  escaped.view.api = openai::ApiKind::chat;
  escaped.view.messages = escaped.messages;
  EXPECT_TRUE(std::ranges::equal(plain.prompt.blocks(), escaped.prompt.blocks()));
  EXPECT_EQ(plain.prompt.tokens(), escaped.prompt.tokens());
  EXPECT_NEAR(static_cast<double>(plain.prompt.tokens()), 1000, 20);
}

}  // namespace
}  // namespace kvgate::routing
