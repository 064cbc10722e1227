// The option table, its documentation and the examples must not drift apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "config/option_table.hpp"
#include "config/yaml.hpp"
#include "support.hpp"

namespace kvgate::config {
namespace {

using namespace testing;
using ::testing::HasSubstr;

std::string const source_dir = KVGATE_SOURCE_DIR;

TEST(OptionTable, NamesAreUniqueAndRowsComplete) {
  std::set<std::string> paths, variables, flags;
  for (Row<Config> const& row : option_table()) {
    EXPECT_TRUE(paths.insert(row.path).second) << row.path;
    EXPECT_TRUE(variables.insert(env_name(row.path)).second) << row.path;
    if (!row.flag.empty()) {
      EXPECT_TRUE(flags.insert(row.flag).second) << row.flag;
    }
    EXPECT_FALSE(row.doc.empty()) << row.path;
    EXPECT_FALSE(row.allowed.empty()) << row.path;
    EXPECT_TRUE(row.doc.ends_with('.')) << row.path;
  }
  EXPECT_EQ(env_name("engine.tls.ca_file"), "KVGATE_ENGINE_TLS_CA_FILE");
  EXPECT_EQ(flags,
            (std::set<std::string>{"--host", "--port", "--engines", "--policy", "--access-log", "--debug-headers"}));
}

TEST(OptionTable, EveryDefaultIsAllowed) {
  for (Row<Config> const& row : option_table()) {
    Config config;
    Node const normal = row.write(config);
    EXPECT_NO_THROW(row.read(config, normal, {{"test", 0, row.path}, catalogue})) << row.path;
    EXPECT_EQ(to_flow_yaml(row.write(config)), to_flow_yaml(normal)) << row.path;
  }
}

TEST(Documentation, HoldsTheGeneratedTables) {
  std::string const text = content_of(source_dir + "/docs/configuration.md");
  EXPECT_THAT(text, HasSubstr("<!-- options: begin -->\n" + options_markdown() + "<!-- options: end -->\n"))
      << "put the output of `kvgate --print-options-markdown` between the markers";
  EXPECT_EQ(parse({"--print-options-markdown"}).output, options_markdown());
}

std::vector<std::string> examples() {
  std::vector<std::string> files;
  for (auto const& entry : std::filesystem::directory_iterator(source_dir + "/configs")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().filename().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The example as its reader would run it, its secrets in place.
CommandLine check(std::string const& example) {
  TemporaryFile const secret("from-file\n", "gpu_key");
  std::string const named = "/run/secrets/gpu_key";
  std::string text = content_of(source_dir + "/configs/" + example);
  if (auto const at = text.find(named); at != std::string::npos) text.replace(at, named.size(), secret.path());
  TemporaryFile const file(text);
  return parse({"--check-config", file.path().c_str()}, {{"ADMIN_KEY", "a"}, {"ENGINE_KEY", "b"}});
}

class Example : public ::testing::TestWithParam<std::string> {};

TEST_P(Example, Loads) {
  EXPECT_NO_THROW(EXPECT_FALSE(check(GetParam()).config.engines.empty())) << GetParam();
  EXPECT_THAT(content_of(source_dir + "/docs/configuration.md"), HasSubstr("../configs/" + GetParam() + ")"));
}

INSTANTIATE_TEST_SUITE_P(Configs, Example, ::testing::ValuesIn(examples()),
                         [](auto const& example) { return std::to_string(example.index); });

TEST(Examples, KeysComeFromVariablesAndFiles) {
  Config const config = check("tls-and-keys.yaml").config;
  EXPECT_EQ(config.admin.key, "a");
  EXPECT_EQ(config.engines.at(0).key, "b");
  EXPECT_EQ(config.engines.at(1).key, "from-file");
}

/// The node at a dotted path, or nullptr.
Node const* find_path(Node const& root, std::string const& path) {
  Node const* at = &root;
  for (std::size_t start = 0; at && start <= path.size();) {
    std::size_t const end = std::min(path.find('.', start), path.size());
    at = at->find(path.substr(start, end - start));
    start = end + 1;
  }
  return at;
}

TEST(Examples, FullNamesEveryOptionAtItsDefault) {
  std::string const name = source_dir + "/configs/full.yaml";
  Node const root = parse_yaml(content_of(name), name);
  for (Row<Config> const& row : option_table()) {
    EXPECT_TRUE(row.path.ends_with(any_key) || find_path(root, row.path)) << row.path;
  }
  Node const* const engines = root.find("engines");
  ASSERT_TRUE(engines && !engines->items.empty());
  for (Row<EngineSpec> const& row : engine_table()) EXPECT_TRUE(engines->items[0].find(row.path)) << row.path;

  Config config = check("full.yaml").config;
  EngineSpec plain;
  plain.url = config.engines.at(0).url;
  EXPECT_EQ(to_yaml(write_rows(config.engines[0], engine_table())), to_yaml(write_rows(plain, engine_table())));
  config.engines.clear();
  EXPECT_EQ(print_config(config), print_config(Config{}));
}

}  // namespace
}  // namespace kvgate::config
