#include <gtest/gtest.h>

#include <algorithm>

#include "routing/filters/filters.hpp"
#include "unit/routing/candidates.hpp"

namespace kvgate::routing {
namespace {

struct Case {
  char const* name;
  std::string_view pin;
  std::vector<std::size_t> left;
};

/// Four engines; the last is https://d/base, whose port the scheme implies.
struct Fleet {
  std::vector<Candidate> list;
  std::deque<std::shared_ptr<fleet::Endpoint>> endpoints;

  Fleet() {
    auto labelled = fleet::test::spec("c");
    labelled.labels["id"] = "third";
    EngineSpec tls;
    tls.url = {"https://d:443/base", true, "d", 443, "/base", "d"};
    for (auto const& spec : {fleet::test::spec("a"), fleet::test::spec("b"), labelled, tls}) {
      endpoints.push_back(fleet::test::endpoint(spec));
      list.emplace_back().endpoint = endpoints.back().get();
    }
  }
  std::vector<std::size_t> left() const {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < endpoints.size(); ++i)
      if (std::ranges::find(list, endpoints[i].get(), &Candidate::endpoint) != list.end()) rows.push_back(i);
    return rows;
  }
};

TEST(PinnedFilter, KeepsTheEngineThatTheRequestNames) {
  Case const cases[] = {
      {"names none", "", {0, 1, 2, 3}},
      {"URL", "http://b:8000", {1}},
      {"host and port", "a:8000", {0}},
      {"label", "third", {2}},
      {"labelled, by host", "c:8000", {2}},
      {"host where the scheme implies the port", "d", {3}},
      {"port given all the same", "d:443", {3}},
      {"URL with a base", "https://d:443/base", {3}},
      {"unknown", "x:8000", {}},
      {"host alone, where the port matters", "a", {}},
      {"other port", "a:8001", {}},
      {"nonsense", "://", {}},
  };
  auto const filter = make_pinned();
  for (auto const& c : cases) {
    test::Context context;
    context.keys.pin = c.pin;
    Fleet fleet;
    Shortlist shortlist(fleet.list);
    filter->apply(context.context, shortlist);
    EXPECT_EQ(fleet.left(), c.left) << c.name;
  }
  EXPECT_EQ(filter->name(), "pinned");
  EXPECT_EQ(filter->on_empty(), OnEmpty::refuse);
}

}  // namespace
}  // namespace kvgate::routing
