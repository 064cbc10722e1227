#include <gtest/gtest.h>

#include "routing/filters/filters.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

struct Case {
  char const* name;
  std::uint64_t guessed;
  std::optional<std::uint64_t> max_tokens;
  std::vector<test::Row> rows;
  std::vector<std::size_t> left;
};

TEST(MaxModelLenFilter, DropsWhatIsClearlyTooShort) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  test::Row const small{.max_model_len = 4096};
  test::Row const large{.max_model_len = 32768};
  Case const cases[] = {
      {"fits both", 1000, 100, {small, large}, {0, 1}},
      {"twice as long", 8200, {}, {small, large}, {1}},
      {"perhaps too long", 8192, {}, {small, large}, {0, 1}},
      {"max_tokens are exact", 10, 4092, {small, large}, {1}},
      {"max_tokens that just fit", 10, 4091, {small, large}, {0, 1}},
      {"both together", 4000, 2097, {small, large}, {1}},
      {"longer than all: the filter drops all, and is ignored", 1'000'000, {}, {small, large}, {}},
      {"length not known", 1'000'000, kMost, {{}, small}, {0}},
      {"most tokens there can be", 10, kMost, {small, large}, {}},
      {"longest prompt there can be", kMost, 10, {small, large}, {}},
      {"not served here", 1'000'000, {}, {{.served = false, .max_model_len = 10}}, {0}},
  };
  auto const filter = make_max_model_len();
  for (auto const& c : cases) {
    openai::RequestView view;
    view.max_tokens = c.max_tokens;
    RequestKeys keys;
    PromptFacts prompt(view, PromptFacts::Recorded{.tokens = c.guessed});
    test::Candidates candidates(c.rows);
    Shortlist shortlist(candidates.list());
    filter->apply({view, prompt, keys, "m", Clock::time_point{}, 0}, shortlist);
    EXPECT_EQ(candidates.rows_left(), c.left) << c.name;
  }
  EXPECT_EQ(filter->name(), "max_model_len");
  EXPECT_EQ(filter->on_empty(), OnEmpty::ignore);
}

}  // namespace
}  // namespace kvgate::routing
