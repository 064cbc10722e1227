#include "metrics/catalogue.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace kvgate::metrics {
namespace {

TEST(Catalogue, EveryRowIsWellFormed) {
  std::set<std::string_view> seen;
  for (auto const& row : catalogue()) {
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(seen.insert(row.name).second) << "name used twice";
    EXPECT_THAT(std::string(row.name), testing::MatchesRegex("(kvgate_|vllm:|process_)[a-z_]+"));
    EXPECT_THAT(std::string(row.labels), testing::MatchesRegex("|[a-z_]+(,[a-z_]+)*"));
    EXPECT_FALSE(row.help.empty());
    // prometheus-cpp writes help as it is; a pipe would break the Markdown table.
    EXPECT_EQ(row.help.find_first_of("\n\\|"), std::string_view::npos);
    EXPECT_EQ(row.type == Type::histogram, !row.bounds.empty());
    EXPECT_TRUE(std::is_sorted(row.bounds.begin(), row.bounds.end()));
    if (!row.name.starts_with("vllm:")) {  // those names are a contract, whatever their style
      EXPECT_EQ(row.type == Type::counter, row.name.ends_with("_total"));
    }
  }
}

TEST(Catalogue, LatencyBoundsOfThePythonRouterAreASubset) {
  EXPECT_TRUE(std::includes(kDurationBounds.begin(), kDurationBounds.end(), kVllmLatencyBounds.begin(),
                            kVllmLatencyBounds.end()));
}

TEST(Catalogue, DocumentationHasTheTable) {
  std::ifstream file(KVGATE_SOURCE_DIR "/docs/metrics.md");
  std::stringstream text;
  text << file.rdbuf();
  std::string const doc = text.str();
  auto const begin = doc.find('\n', doc.find("<!-- catalogue:begin"));
  auto const end = doc.find("<!-- catalogue:end -->");
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  EXPECT_EQ(doc.substr(begin + 1, end - begin - 1), catalogue_markdown())
      << "put this between the markers of docs/metrics.md";
}

}  // namespace
}  // namespace kvgate::metrics
