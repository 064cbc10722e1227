// One line for every mistake: where it is, what is wrong, what is allowed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.hpp"

namespace kvgate::config {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Mistake {
  std::string text, begins, contains;
};

class Mistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreNamedInOneLine) {
  std::string const line = complaint(GetParam().text);
  EXPECT_THAT(line, StartsWith(GetParam().begins)) << GetParam().text;
  EXPECT_THAT(line, HasSubstr(GetParam().contains)) << GetParam().text;
  EXPECT_THAT(line, HasSubstr("; allowed: ")) << GetParam().text;
  EXPECT_THAT(line, Not(HasSubstr("\n")));
}

INSTANTIATE_TEST_SUITE_P(
    Keys, Mistakes,
    ::testing::Values(
        Mistake{"server:\n  prot: 1\n", "FILE:2: server.prot: unknown key", "did you mean port?; allowed: host, port"},
        Mistake{"sevrer: {}\n", "FILE:1: sevrer: unknown key", "did you mean server?"},
        Mistake{"\nport: 1\n", "FILE:2: port: unknown key", "did you mean server.port?"},
        Mistake{"zzzzzzzz: 1\n", "FILE:1: zzzzzzzz: unknown key; allowed: server", "engines"},
        Mistake{"engine: {tls: {ca: x}}\n", "FILE:1: engine.tls.ca: unknown key", "allowed: ca_file"},
        Mistake{"engines:\n  - url: http://a\n    wieght: 1\n", "FILE:3: engines[0].wieght: unknown key", "weight?"},
        Mistake{"proxy:\n  routes:\n    /v1/x: {tota: 1}\n", "FILE:3: proxy.routes./v1/x.tota: unknown key", "total?"},
        Mistake{"<<: {a: 1}\n", "FILE:1: <<: unknown key", ""},
        Mistake{"server:\n  port: 1\n  host: a\n  port: 2\n", "FILE:4: server.port: is given twice", "on line 2"},
        Mistake{"log: {}\nserver: {}\nlog: {}\n", "FILE:3: log: is given twice", "on line 1"},
        Mistake{"engines: [{url: http://a, labels: {x: 1, x: 2}}]\n", "FILE:1: engines[0].labels.x: is given twice",
                ""},
        Mistake{"? [a]\n: 1\n", "FILE:1: document: has a key that is a list", ""},
        Mistake{"server:\n  \"po\\nrt\": 1\n", "FILE:2: server.po rt: unknown key", "port?"}));

INSTANTIATE_TEST_SUITE_P(
    Types, Mistakes,
    ::testing::Values(
        Mistake{"server: 5\n", "FILE:1: server: is a value, not a map", "host, port, workers"},
        Mistake{"server: [1]\n", "FILE:1: server: is a list, not a map", ""},
        Mistake{"server:\n  port: [1]\n", "FILE:2: server.port: is a list", "0 to 65535"},
        Mistake{"server:\n  port: {a: 1}\n", "FILE:2: server.port: is a map", ""},
        Mistake{"server:\n  host: ~\n", "FILE:2: server.host: is empty", ""},
        Mistake{"server: {port: abc}\n", "FILE:1: server.port: \"abc\" is not a valid number", "0 to 65535"},
        Mistake{"server: {port: 65536}\n", "FILE:1: server.port: \"65536\"", ""},
        Mistake{"server: {port: 010}\n", "FILE:1: server.port: \"010\" has a leading zero", ""},
        Mistake{"server: {port: 0x1F}\n", "FILE:1: server.port: ", ""},
        Mistake{"server: {port: 8e3}\n", "FILE:1: server.port: ", ""},
        Mistake{"log: {access: yes}\n", "FILE:1: log.access: \"yes\" is not a valid boolean", "true, false"},
        Mistake{"log: {access: True}\n", "FILE:1: log.access: ", "true, false"},
        Mistake{"log: {access: 1}\n", "FILE:1: log.access: ", "true, false"},
        Mistake{"log: {level: loud}\n", "FILE:1: log.level: \"loud\"", "debug, info, warn, error"},
        Mistake{"http: {max_body: 64MB}\n", "FILE:1: http.max_body: \"64MB\" is not a valid size", "1 to 16GiB"},
        Mistake{"http: {idle_timeout: 0s}\n", "FILE:1: http.idle_timeout: \"0s\"", "1ms to 24h"},
        Mistake{"retry: {poison_ttl: 1500ms}\n", "FILE:1: retry.poison_ttl: ", "whole seconds"},
        Mistake{"retry: {after_send: 2}\n", "FILE:1: retry.after_send: ", "0 to 1"},
        Mistake{"routing: {policies: [random, foo]}\n", "FILE:1: routing.policies[1]: \"foo\" is not a policy",
                "round_robin, least_loaded, random, session, prefix_affinity"},
        Mistake{"routing: {policies: random}\n", "FILE:1: routing.policies: \"random\" is a value, not a list", ""},
        Mistake{"routing: {policies: []}\n", "FILE:1: routing.policies: is an empty list", ""},
        Mistake{"routing: {filters: [model, model]}\n", "FILE:1: routing.filters[1]: \"model\" is given twice", ""},
        Mistake{"routing: {filters: [random]}\n", "FILE:1: routing.filters[0]: ", "model, healthy, not_sleeping, capacity, overload"},
        Mistake{"session: {keys: [x-session-id]}\n", "FILE:1: session.keys[0]: \"x-session-id\" is not a valid place",
                "header:NAME, cookie:NAME or json:FIELD"},
        Mistake{"session: {keys: [\"header:a b\"]}\n", "FILE:1: session.keys[0]: ", "header:NAME"},
        Mistake{"session: {keys: [\"json:\"]}\n", "FILE:1: session.keys[0]: ", "json:FIELD"},
        Mistake{"session: {ring: best}\n", "FILE:1: session.ring: ", "bounded, uhashring"},
        Mistake{"session: {bound: 0.9}\n", "FILE:1: session.bound: ", "1 to 100"},
        Mistake{"prefix: {mode: magic}\n", "FILE:1: prefix.mode: ", "cost, longest, threshold"},
        Mistake{"prefix: {max_memory: 1KiB}\n", "FILE:1: prefix.max_memory: ", "1MiB to 64GiB"},
        Mistake{"prefix: {max_memroy: 1MiB}\n", "FILE:1: prefix.max_memroy: unknown key, did you mean max_memory?", ""},
        Mistake{"priority: {urgent_below: 1.5}\n", "FILE:1: priority.urgent_below: ", "-1000000000 to 1000000000"},
        Mistake{"overload: {max_kv_usage: 2}\n", "FILE:1: overload.max_kv_usage: ", "0 to 1"},
        Mistake{"models: {m: {routing: {policies: [foo]}}}\n", "FILE:1: models.m.routing.policies[0]: \"foo\" is not a policy",
                "round_robin"},
        Mistake{"models:\n  m: {rooting: {}}\n", "FILE:2: models.m.rooting: unknown key, did you mean routing?", ""},
        Mistake{"models:\n  refesh: 30s\n", "FILE:2: models.refesh: is a value, not a map", ""},
        Mistake{"http: {trusted_proxies: [10.0.0.0/33]}\n", "FILE:1: http.trusted_proxies[0]: ", "CIDR"},
        Mistake{"http: {cors_origins: [\"https://a/\"]}\n", "FILE:1: http.cors_origins[0]: ", "scheme://host"},
        Mistake{"proxy: {extra_paths: [v1]}\n", "FILE:1: proxy.extra_paths[0]: ", "/path"},
        Mistake{"proxy: {extra_paths: [/a/../b]}\n", "FILE:1: proxy.extra_paths[0]: ", "/path"},
        Mistake{"proxy: {extra_paths: [get /a]}\n", "FILE:1: proxy.extra_paths[0]: ", "METHOD"},
        Mistake{"proxy:\n  routes:\n    v1: {}\n", "FILE:3: proxy.routes.v1: is not a path", ""},
        Mistake{"server: {port: 80}\nadmin:\n  port: 80\n", "FILE:3: admin.port: is server.port", ""},
        Mistake{"engine_stats:\n  stale: 5s\n", "FILE:2: engine_stats.stale: is not longer than engine_stats.interval",
                ""}));

INSTANTIATE_TEST_SUITE_P(
    Engines, Mistakes,
    ::testing::Values(
        Mistake{"engines:\n", "FILE:1: engines: is empty", "a list of engines"},
        Mistake{"engines: http://a\n", "FILE:1: engines: \"http://a\" is a value, not a list", ""},
        Mistake{"engines: [{weight: 1}]\n", "FILE:1: engines[0]: has no url", "http(s)://"},
        Mistake{"engines:\n  - http://a\n  - ftp://b\n", "FILE:3: engines[1].url: \"ftp://b\" does not start", "http"},
        Mistake{"engines:\n  - http://a\n  - url: HTTP://A:80/\n", "FILE:3: engines[1]: http://a:80 is also engines[0]",
                "each engine once"},
        Mistake{"engines: [{url: http://a, weight: 0}]\n", "FILE:1: engines[0].weight: \"0\"", "more than 0"},
        Mistake{"engines: [{url: http://a, models: [\"\"]}]\n", "FILE:1: engines[0].models[0]: \"\"", "but empty"}));

INSTANTIATE_TEST_SUITE_P(
    Yaml, Mistakes,
    ::testing::Values(Mistake{"[1]\n", "FILE:1: document: is a list", "a map of sections"},
                      Mistake{"text\n", "FILE:1: document: is a value", "a map of sections"},
                      Mistake{"server: {}\nx: [1, 2\n", "FILE:3: syntax: ", "YAML"},
                      Mistake{"server:\n\tport: 1\n", "FILE:2: syntax: ", "indented by spaces"},
                      Mistake{"a: *nope\n", "FILE:1: syntax: ", "anchor"},
                      Mistake{", x\n", "FILE:1: document: is followed by", "one YAML document"},
                      Mistake{"---\nserver: {}\n---\nserver: {}\n", "FILE:1: document: is followed by",
                              "one YAML document"},
                      Mistake{"server: {port: !env X}\n", "FILE:1: server.port: has the tag !env", "without tags"},
                      Mistake{std::string("server: {}\n\0log: 1\n", 18), "FILE:2: syntax: has a NUL byte", "UTF-8"},
                      Mistake{"x: &a [*a]\n", "FILE:1: x[0]", "is too large or nested too deeply"},
                      Mistake{std::string(100'000, '['), "FILE:", "syntax"}));

TEST(Mistake, AliasBombsAreBounded) {
  std::string text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    std::string const last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 0; j < 9; ++j) text += "," + last;
    text += "]\n";
  }
  EXPECT_THAT(complaint(text), HasSubstr("is too large or nested too deeply"));
}

TEST(Mistake, UnreadableFilesAreNamedWithTheReason) {
  EXPECT_EQ(refusal({"--config", "/nonexistent/gate.yaml"}),
            "/nonexistent/gate.yaml:1: --config: cannot be read: No such file or directory; allowed: a readable file "
            "of at most 4 MiB");
  EXPECT_THAT(refusal({"--check-config", "/"}), HasSubstr("Is a directory"));
  EXPECT_THAT(refusal({"--config", "/dev/zero"}), HasSubstr("larger than"));
}

TEST(Mistake, UnsetVariablesAndMissingFilesNameThePlace) {
  EXPECT_THAT(complaint("engines:\n  - url: http://a\n    key: ${NOPE}\n"),
              StartsWith("FILE:3: engines[0].key: needs the environment variable NOPE, which is not set"));
  EXPECT_THAT(complaint("models:\n  known:\n    - a\n    - b-${NOPE}\n"), StartsWith("FILE:4: models.known[1]: needs"));
  EXPECT_THAT(complaint("log: {file: \"${X\"}\n"), StartsWith("FILE:1: log.file: has ${ without }"));
  EXPECT_THAT(complaint("log: {file: \"${X:-y}\"}\n"), StartsWith("FILE:1: log.file: has a bad variable name"));
  EXPECT_THAT(complaint("admin: {key: \"file:/nonexistent/key\"}\n"),
              StartsWith("FILE:1: admin.key: cannot read /nonexistent/key: No such file"));
}

TEST(Mistake, VariablesAreNamedAsSuch) {
  EXPECT_THAT(complaint("", {{"KVGATE_SERVER_PORT", "tcp://10.0.0.1:80"}}),
              StartsWith("environment: KVGATE_SERVER_PORT: \"tcp://10.0.0.1:80\" is not a valid number"));
  EXPECT_THAT(complaint("", {{"KVGATE_ROUTING_POLICIES", "random,foo"}}),
              StartsWith("environment: KVGATE_ROUTING_POLICIES[1]: \"foo\""));
  EXPECT_THAT(complaint("", {{"KVGATE_ENGINES", "[{url: 'http://a'"}}), StartsWith("environment: KVGATE_ENGINES: "));
  EXPECT_THAT(complaint("", {{"KVGATE_LOG_FILE", "${NOPE}"}}), StartsWith("environment: KVGATE_LOG_FILE: needs"));
}

TEST(Mistake, MessagesNeverQuoteSecrets) {
  for (char const* text : {"admin: {key: hush hush}\n", "engines: [{url: http://a, key: \"hush hush\"}]\n",
                           "engines: [\"http://me:hush@a\"]\n", "engines: [\"me:hush@a\"]\n"}) {
    std::string const line = complaint(text);
    EXPECT_THAT(line, StartsWith("FILE:1: ")) << text;
    EXPECT_THAT(line, Not(HasSubstr("hush"))) << text;
  }
}

TEST(Mistake, LongValuesAreCutShort) {
  EXPECT_LT(complaint("server: {port: " + std::string(5000, 'x') + "}\n").size(), 300U);
}

}  // namespace
}  // namespace kvgate::config
