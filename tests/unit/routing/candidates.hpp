// Candidates and contexts for the tests of routing/.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <map>

#include "fleet/endpoint_set.hpp"
#include "kvgate/endpoint_filter.hpp"
#include "kvgate/routing_policy.hpp"
#include "openai/request_view.hpp"
#include "prefix/prompt_text.hpp"
#include "unit/fleet/fleet_fixture.hpp"

namespace kvgate::routing::test {

using fleet::Health;

struct Row {
  Health health = Health::up;
  std::uint32_t in_flight = 0;
  std::uint64_t last_pick = 0;
  double weight = 1.0;
  std::uint32_t max_concurrent = 0;
  bool served = true;
  std::uint64_t prefill_tokens = 0;
  std::optional<fleet::Reported> reported = {};
  fleet::Adapter adapter = fleet::Adapter::not_known;
  std::optional<Fact> text_prefix = {};
  double prefill_speed = 0;
  std::optional<std::uint64_t> cache_room = {};
  double cache_fill = 0;
  std::map<std::string, std::string> labels = {};
  std::uint64_t max_model_len = 0;   ///< 0: the engine did not say
};

/// Owns what its candidates point to.
class Candidates {
 public:
  explicit Candidates(std::vector<Row> const& rows) {
    for (auto const& row : rows) add(row);
  }
  Candidates(Candidates const&) = delete;
  Candidates& operator=(Candidates const&) = delete;

  std::vector<Candidate>& list() { return list_; }
  /// The row that a candidate was made of.
  std::size_t row_of(Candidate const& c) const {
    for (std::size_t i = 0; i < endpoints_.size(); ++i)
      if (endpoints_[i].get() == c.endpoint) return i;
    return std::numeric_limits<std::size_t>::max();
  }
  std::vector<std::size_t> rows_left() const {
    std::vector<std::size_t> rows;
    for (auto const& c : list_) rows.push_back(row_of(c));
    return rows;
  }

 private:
  void add(Row const& row) {
    auto spec = fleet::test::spec("engine-" + std::to_string(endpoints_.size()));
    spec.weight = row.weight;
    spec.max_concurrent = row.max_concurrent;
    spec.labels = row.labels;
    endpoints_.push_back(fleet::test::endpoint(std::move(spec)));
    models_.push_back({});
    models_.back().card.max_model_len = row.max_model_len;
    Candidate c;
    c.endpoint = endpoints_.back().get();
    c.served = row.served ? &models_.back() : nullptr;
    c.health = row.health;
    c.load = {row.in_flight, row.prefill_tokens};
    c.reported = row.reported;
    c.adapter = row.adapter;
    c.facts[static_cast<std::size_t>(Signal::text_prefix)] = row.text_prefix;
    c.prefill_speed = row.prefill_speed;
    c.prefill_left = static_cast<double>(row.prefill_tokens);
    c.cache_room = row.cache_room;
    c.cache_fill = row.cache_fill;
    c.last_pick = row.last_pick;
    list_.push_back(c);
  }

  std::deque<std::shared_ptr<fleet::Endpoint>> endpoints_;
  std::deque<fleet::ServedModel> models_;
  std::vector<Candidate> list_;
};

struct Context {
  Context() = default;
  /// With a prompt that is hashed: the text of one user message, without quotes or escapes.
  explicit Context(std::string const& text) : messages(R"([{"role":"user","content":")" + text + R"("}])") {
    view.api = openai::ApiKind::chat;
    view.messages = messages;
  }

  std::string messages;
  openai::RequestView view;
  RequestKeys keys;
  prefix::PromptBlocks blocks;
  PromptFacts prompt{view, "m", blocks};
  RouteContext context{view, prompt, keys, "m", Clock::time_point{}, 0};
};

struct PickCase {
  char const* name;
  std::vector<Row> rows;
  std::size_t picked;
};

inline void expect_picks(RoutingPolicy const& policy, std::vector<PickCase> const& cases) {
  for (auto const& c : cases) {
    Context context;
    Candidates candidates(c.rows);
    auto const choice = policy.pick(context.context, candidates.list());
    ASSERT_TRUE(choice.index) << c.name;
    EXPECT_EQ(*choice.index, c.picked) << c.name;
    EXPECT_FALSE(choice.why.code.empty()) << c.name;
  }
}

struct FilterCase {
  char const* name;
  std::vector<Row> rows;
  std::vector<std::size_t> left;
};

inline void expect_keeps(EndpointFilter const& filter, std::vector<FilterCase> const& cases) {
  for (auto const& c : cases) {
    Context context;
    Candidates candidates(c.rows);
    Shortlist shortlist(candidates.list());
    filter.apply(context.context, shortlist);
    EXPECT_EQ(candidates.rows_left(), c.left) << c.name;
  }
}

}  // namespace kvgate::routing::test
