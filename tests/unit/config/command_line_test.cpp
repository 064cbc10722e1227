#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/option_table.hpp"
#include "support.hpp"

namespace kvgate::config {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Action = CommandLine::Action;

TEST(CommandLine, FlagsThatEveryoneUses) {
  CommandLine const line = parse({"--host", "0.0.0.0", "--port=0", "--engines", "http://a:1, http://b:1", "--policy",
                                  "round_robin,random", "--access-log", "--debug-headers"});
  EXPECT_EQ(line.action, Action::run);
  EXPECT_EQ(line.config.server.host, "0.0.0.0");
  EXPECT_EQ(line.config.server.port, 0);
  ASSERT_EQ(line.config.engines.size(), 2U);
  EXPECT_EQ(line.config.engines[1].url.text, "http://b:1");
  EXPECT_THAT(line.config.routing.policies, ElementsAre("round_robin", "random"));
  EXPECT_TRUE(line.config.log.access);
  EXPECT_TRUE(line.config.http.debug_headers);
}

TEST(CommandLine, EnginesReplaceThoseOfTheFile) {
  TemporaryFile const file("engines: [http://old]\nlog: {access: true}\n");
  CommandLine const line = parse({"--config", file.path().c_str(), "--engines", "http://new", "--access-log=false"});
  ASSERT_EQ(line.config.engines.size(), 1U);
  EXPECT_EQ(line.config.engines[0].url.host, "new");
  EXPECT_FALSE(line.config.log.access);
  EXPECT_EQ(line.config_file, file.path());
}

TEST(CommandLine, NoEnginesIsAnErrorThatSaysWhatToDo) {
  EXPECT_THAT(refusal({}), StartsWith("command line: engines: no engine is configured; allowed: --engines URL"));
  TemporaryFile const file("server: {port: 1}\n");
  EXPECT_THAT(refusal({"--config", file.path().c_str()}), StartsWith(file.path() + ":1: engines: no engine"));
  EXPECT_THAT(refusal({"--check-config", file.path().c_str()}), StartsWith(file.path() + ":1: engines: no engine"));
  EXPECT_EQ(parse({"--config", file.path().c_str(), "--print-config"}).config.server.port, 1);
}

TEST(CommandLine, CheckAndPrint) {
  TemporaryFile const file("engines: [http://a]\nadmin: {key: hidden}\n");
  CommandLine const check = parse({"--check-config", file.path().c_str()});
  EXPECT_EQ(check.action, Action::check);
  EXPECT_EQ(check.output, file.path() + ": ok\n");
  CommandLine const print = parse({"--print-config", "--config", file.path().c_str(), "--port", "77"});
  EXPECT_EQ(print.action, Action::print);
  EXPECT_THAT(print.output, HasSubstr("port: 77"));
  EXPECT_THAT(print.output, Not(HasSubstr("hidden")));
}

TEST(CommandLine, VersionAndHelpNeedNoConfiguration) {
  Variables const broken{{"KVGATE_SERVER_PORT", "x"}};
  EXPECT_EQ(parse({"--version"}, broken).output, "kvgate " KVGATE_VERSION "\n");
  for (char const* flag : {"--help", "-h"}) {
    CommandLine const help = parse({flag}, broken);
    EXPECT_EQ(help.action, Action::help);
    for (Row<Config> const& row : option_table()) EXPECT_THAT(help.output, HasSubstr(row.flag));
    EXPECT_THAT(help.output, HasSubstr("round_robin, least_loaded, random, session, prefix_affinity"));
    EXPECT_THAT(help.output, Not(HasSubstr("markdown")));
  }
}

TEST(CommandLine, HealthAsksTheConfiguredPort) {
  auto url = [](std::vector<char const*> arguments, Variables const& variables = {}) {
    CommandLine const line = parse(std::move(arguments), variables);
    EXPECT_EQ(line.action, Action::health);
    return line.health_url.text;
  };
  EXPECT_EQ(url({"health"}), "http://127.0.0.1:8000/health");
  EXPECT_EQ(url({"health", "--port", "81"}), "http://127.0.0.1:81/health");
  EXPECT_EQ(url({"--port", "81", "--host", "0.0.0.0", "health"}), "http://127.0.0.1:81/health");
  EXPECT_EQ(url({"health", "--host", "::"}), "http://[::1]:8000/health");
  EXPECT_EQ(url({"health"}, {{"KVGATE_ADMIN_PORT", "9"}}), "http://127.0.0.1:9/health");
  EXPECT_EQ(url({"health", "https://gate.example"}), "https://gate.example:443/health");
  EXPECT_EQ(url({"health", "http://a:1/ready"}, {{"KVGATE_SERVER_PORT", "x"}}), "http://a:1/ready");
}

TEST(CommandLine, SimKeepsItsArguments) {
  CommandLine const line = parse({"sim", "--port", "1", "--help", "--unknown"});
  EXPECT_EQ(line.action, Action::sim);
  EXPECT_THAT(line.tool_args, ElementsAre("--port", "1", "--help", "--unknown"));
}

TEST(CommandLine, MistakesAreOneLine) {
  struct Case {
    std::vector<char const*> arguments;
    std::string begins;
  };
  std::vector<Case> const table{
      {{"--prot", "3"}, "command line: --prot: unknown flag, did you mean --port?; allowed: --config"},
      {{"--prot=3"}, "command line: --prot: unknown flag, did you mean --port?"},
      {{"-x"}, "command line: -x: unknown flag; allowed: "},
      {{"--port"}, "command line: --port: "},
      {{"--port", "abc"}, "command line: --port: \"abc\" is not a valid number; allowed: 0 to 65535"},
      {{"--port", "-1"}, "command line: --port: \"-1\""},
      {{"--port", "1", "--port", "2"}, "command line: --port: "},
      {{"--host", ""}, "command line: --host: \"\" is not a valid host"},
      {{"--policy", "random,random"}, "command line: --policy[1]: \"random\" is given twice"},
      {{"--engines", "http://a,http://a:80"}, "command line: --engines[1]: http://a:80 is also engines[0]"},
      {{"--engines", "http://a,"}, "command line: --engines[1].url: \"\""},
      {{"--access-log=maybe"}, "command line: --access-log: \"maybe\""},
      {{"serve"}, "command line: serve: unexpected argument"},
      {{"--config", ""}, "command line: --config: is empty"},
      {{"--check-config", "", "--engines", "http://a"}, "command line: --check-config: is empty"},
      {{"--check-config", "f", "--print-config"}, "command line: --check-config: stands alone"},
      {{"--check-config", "f", "--config", "g"}, "command line: --check-config: stands alone"},
      {{"--port", "1", "sim"}, "command line: sim: is not the first argument"},
      {{"health", "a", "b"}, "command line: b: unexpected argument"},
      {{"health", "nowhere"}, "command line: health: the URL does not start with http://"},
      {{"health", "--port", "0"}, "command line: health: the configured port is 0"},
  };
  for (Case const& one : table) {
    std::string const line = refusal(one.arguments);
    EXPECT_THAT(line, StartsWith(one.begins));
    EXPECT_THAT(line, Not(HasSubstr("\n")));
  }
}

}  // namespace
}  // namespace kvgate::config
