// What the file, the variables and the flags make of the configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/option_table.hpp"
#include "support.hpp"

namespace kvgate::config {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

TEST(Load, NothingGivesTheDefaults) {
  std::string const defaults = print_config(Config{});
  for (char const* text : {"", "\n# only a comment\n", "---\n", "{}", "server:\n", "http:\n  # all commented out\n"}) {
    EXPECT_EQ(print_config(load_text(text)), defaults) << text;
  }
}

TEST(Load, EveryTypeOfValueIsRead) {
  Config const config = load_text(R"(
server: {host: "::", port: "9000", workers: 4}
admin: {port: 9090, key: s3cret}
http: {max_body: 1GiB, head_timeout: 500ms, half_close: allow, decode_requests: true,
       trusted_proxies: [10.0.0.0/8, "::1"], cors_origins: ["*"]}
proxy:
  extra_paths: ["/v1/jobs/{}", GET /v1/load]
  timeouts: {total: 1h}
  routes:
    /v1/embeddings: {first_byte: 30}
engine: {tls: {ca_file: /ca.pem, insecure_skip_verify: true}}
retry: {poison_ttl: 5m}
routing: {policies: [random, round_robin], filters: []}
limits: {memory: 2GiB}
)");
  EXPECT_EQ(config.server.host, "::");
  EXPECT_EQ(config.server.port, 9000);
  EXPECT_EQ(config.server.workers, 4U);
  EXPECT_EQ(config.admin.port, 9090);
  EXPECT_EQ(config.admin.key, "s3cret");
  EXPECT_EQ(config.http.max_body, std::size_t{1} << 30);
  EXPECT_EQ(config.http.head_timeout, 500ms);
  EXPECT_EQ(config.http.half_close, "allow");
  EXPECT_TRUE(config.http.decode_requests);
  EXPECT_THAT(config.http.trusted_proxies, ElementsAre("10.0.0.0/8", "::1"));
  EXPECT_THAT(config.proxy.extra_paths, ElementsAre("/v1/jobs/{}", "GET /v1/load"));
  EXPECT_EQ(config.proxy.timeouts.total, 1h);
  ASSERT_EQ(config.proxy.routes.count("/v1/embeddings"), 1U);
  EXPECT_EQ(config.proxy.routes.at("/v1/embeddings").first_byte, 30s);
  EXPECT_EQ(config.engine.ca_file, "/ca.pem");
  EXPECT_TRUE(config.engine.insecure_skip_verify);
  EXPECT_EQ(config.retry.poison_ttl, 5min);
  EXPECT_THAT(config.routing.policies, ElementsAre("random", "round_robin"));
  EXPECT_THAT(config.routing.filters, IsEmpty());
  EXPECT_EQ(config.limits.memory, 2ULL << 30);
}

TEST(Load, EnginesAreMapsOrUrls) {
  Config const config = load_text(R"(
engines:
  - url: https://a.example/v1/
    key: k
    labels: {zone: eu-1, size: 8}
    weight: 0.5
    models: [m1, org/m2]
    max_concurrent: 16
  - http://[::1]:8001
)");
  ASSERT_EQ(config.engines.size(), 2U);
  EngineSpec const& first = config.engines[0];
  EXPECT_EQ(first.url.text, "https://a.example:443/v1");
  EXPECT_EQ(first.key, "k");
  EXPECT_THAT(first.labels, ElementsAre(Pair("size", "8"), Pair("zone", "eu-1")));
  EXPECT_EQ(first.weight, 0.5);
  EXPECT_THAT(first.models, ElementsAre("m1", "org/m2"));
  EXPECT_EQ(first.max_concurrent, 16U);
  EXPECT_EQ(config.engines[1].url.text, "http://[::1]:8001");
  EXPECT_EQ(config.engines[1].weight, 1.0);
}

TEST(Load, FlagBeatsVariableBeatsFileBeatsDefault) {
  TemporaryFile const file("server: {host: file.host, port: 1, workers: 1}\n");
  Variables const variables{{"KVGATE_SERVER_PORT", "2"}, {"KVGATE_SERVER_WORKERS", "2"}, {"KVGATE_LOG_LEVEL", ""}};
  Config const config = load({file.path(), environment(variables), {{"--port", "3"}}, false}, catalogue);
  EXPECT_EQ(config.server.port, 3);
  EXPECT_EQ(config.server.workers, 2U);
  EXPECT_EQ(config.server.host, "file.host");
  EXPECT_EQ(config.log.level, "info") << "an empty variable counts as not set";
}

TEST(Load, VariablesHoldListsAndMaps) {
  Config const config = load_text("engines: [http://replaced]\nrouting: {policies: [random]}\n",
                                  {{"KVGATE_ROUTING_POLICIES", "round_robin, random"},
                                   {"KVGATE_ENGINES", "[{url: 'http://a:1', weight: 2}, 'http://b:1']"},
                                   {"KVGATE_PROXY_ROUTES", "{/v1/score: {total: 5s}}"},
                                   {"KVGATE_HTTP_CORS_ORIGINS", "https://a.example"}});
  EXPECT_THAT(config.routing.policies, ElementsAre("round_robin", "random"));
  ASSERT_EQ(config.engines.size(), 2U);
  EXPECT_EQ(config.engines[0].weight, 2.0);
  EXPECT_EQ(config.proxy.routes.at("/v1/score").total, 5s);
  EXPECT_THAT(config.http.cors_origins, ElementsAre("https://a.example"));
}

TEST(Load, ModelsHaveChainsOfTheirOwn) {
  Config const config = load_text(
      "engines: [http://a]\n"
      "models:\n  refresh: 1m\n  org/m.1: {routing: {policies: [random]}}\n  n: {routing: {filters: [model]}}\n");
  EXPECT_EQ(config.models.refresh, 1min);
  ASSERT_EQ(config.routing.models.size(), 2U);
  EXPECT_THAT(*config.routing.models.at("org/m.1").policies, ElementsAre("random"));
  EXPECT_FALSE(config.routing.models.at("org/m.1").filters);
  EXPECT_THAT(*config.routing.models.at("n").filters, ElementsAre("model"));
}

TEST(Load, TheChainIsPrintedAsItRuns) {
  auto const printed = print_config(load_text("engines: [http://a]\nrouting: {policies: [session]}\n"));
  EXPECT_THAT(printed, HasSubstr("least_loaded"));
  EXPECT_THAT(print_config(load_text("engines: [http://a]\nrouting: {policies: [random]}\n")),
              Not(HasSubstr("least_loaded")));
}

TEST(Load, ValuesComeFromVariablesAndFiles) {
  TemporaryFile const key("from-file\r\n", "key");
  Config const config = load_text(
      "server: {host: \"${HOST}\", port: \"${PORT}\"}\n"
      "admin: {key: \"file:" +
          key.path() +
          "\"}\n"
          "models: {known: [\"a-${NAME}-${NAME}\", \"$${NAME}\", $NAME]}\n"
          "engines:\n  - http://${HOST}:8001\n  - {url: \"http://b\", key: \"${KEY}\"}\n",
      {{"HOST", "gpu"}, {"PORT", "7"}, {"NAME", "x"}, {"KEY", "${HOST}"}});
  EXPECT_EQ(config.server.host, "gpu");
  EXPECT_EQ(config.server.port, 7);
  EXPECT_EQ(config.admin.key, "from-file");
  EXPECT_THAT(config.models.known, ElementsAre("a-x-x", "${NAME}", "$NAME"));
  EXPECT_EQ(config.engines[0].url.text, "http://gpu:8001");
  EXPECT_EQ(config.engines[1].key, "${HOST}") << "what a variable holds is not expanded again";
}

TEST(Load, AVariableCannotNameAFile) {
  EXPECT_EQ(load_text("log: {file: \"${F}\"}\n", {{"F", "file:/etc/hostname"}}).log.file, "file:/etc/hostname");
}

TEST(Load, AnOptionsOwnVariableIsExpandedToo) {
  TemporaryFile const key("k1", "key");
  EXPECT_EQ(load_text("", {{"KVGATE_ADMIN_KEY", "file:" + key.path()}}).admin.key, "k1");
}

TEST(Load, AnchorsWorkWithinBounds) {
  Config const config = load_text("models: {known: &m [a, b]}\nengines: [{url: http://x, models: *m}]\n");
  EXPECT_THAT(config.engines[0].models, ElementsAre("a", "b"));
}

TEST(PrintConfig, LoadsAgainToTheSame) {
  std::string const text = R"(
admin: {port: 9090}
http: {cors_origins: ["*"], trusted_proxies: ["::1", 10.0.0.0/8]}
proxy: {extra_paths: ["GET /v1/jobs/{}"], routes: {"/v1/jobs/{}": {total: 1500ms}}}
models: {known: ["$${literal}", "null", "true", "010", "with: colon", "#hash", "multi\nline"]}
engines: [{url: "http://a:1/b", labels: {"yes": "no"}, weight: 0.1, models: [m]}]
)";
  Config const config = load_text(text);
  std::string const printed = print_config(config);
  Config const again = load_text(printed);
  EXPECT_EQ(print_config(again), printed);
  EXPECT_EQ(again.models.known, config.models.known);
  EXPECT_EQ(again.engines[0].labels, config.engines[0].labels);
  EXPECT_EQ(again.engines[0].weight, config.engines[0].weight);
}

TEST(PrintConfig, MasksSecretsWhereverTheyCameFrom) {
  TemporaryFile const key("hidden-in-file", "key");
  Config const config =
      load_text("admin: {key: \"${K}\"}\nengines:\n  - {url: \"http://a\", key: \"file:" + key.path() +
                    "\"}\n  - {url: \"http://b\", key: hidden-in-yaml}\n  - http://c\n",
                {{"K", "hidden-in-variable"}});
  EXPECT_EQ(config.admin.key, "hidden-in-variable");
  EXPECT_EQ(config.engines[0].key, "hidden-in-file");
  std::string const printed = print_config(config);
  EXPECT_THAT(printed, Not(HasSubstr("hidden")));
  EXPECT_THAT(printed, HasSubstr("key: \"***\""));
  EXPECT_THAT(printed, HasSubstr("key: \"\"")) << "one must see where no key is set";
}

}  // namespace
}  // namespace kvgate::config
