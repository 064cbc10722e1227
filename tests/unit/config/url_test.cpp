#include "config/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kvgate::config {
namespace {

struct Good {
  std::string text, canonical, host, base, authority;
  std::uint16_t port;
  bool tls;
};

class GoodUrl : public ::testing::TestWithParam<Good> {};

TEST_P(GoodUrl, IsTakenApart) {
  Good const& expected = GetParam();
  auto const url = parse_engine_url(expected.text);
  ASSERT_TRUE(url) << expected.text << ": " << url.error().message;
  EXPECT_EQ(url->text, expected.canonical);
  EXPECT_EQ(url->host, expected.host);
  EXPECT_EQ(url->base, expected.base);
  EXPECT_EQ(url->authority, expected.authority);
  EXPECT_EQ(url->port, expected.port);
  EXPECT_EQ(url->tls, expected.tls);
}

INSTANTIATE_TEST_SUITE_P(
    Table, GoodUrl,
    ::testing::Values(
        Good{"http://engine", "http://engine:80", "engine", "", "engine", 80, false},
        Good{"https://engine", "https://engine:443", "engine", "", "engine", 443, true},
        Good{"http://engine:8000/", "http://engine:8000", "engine", "", "engine:8000", 8000, false},
        Good{"HTTP://Engine.Example.COM:8000/Base/v2//", "http://engine.example.com:8000/Base/v2", "engine.example.com",
             "/Base/v2", "engine.example.com:8000", 8000, false},
        Good{"https://engine:443/v1", "https://engine:443/v1", "engine", "/v1", "engine", 443, true},
        Good{"https://engine:80", "https://engine:80", "engine", "", "engine:80", 80, true},
        Good{"http://10.0.0.7:65535", "http://10.0.0.7:65535", "10.0.0.7", "", "10.0.0.7:65535", 65535, false},
        Good{"http://[0:0::1]:8001/b", "http://[::1]:8001/b", "::1", "/b", "[::1]:8001", 8001, false},
        Good{"http://[2001:DB8::A]", "http://[2001:db8::a]:80", "2001:db8::a", "", "[2001:db8::a]", 80, false},
        Good{"http://vllm_0.svc.cluster.local.:80", "http://vllm_0.svc.cluster.local.:80", "vllm_0.svc.cluster.local.",
             "", "vllm_0.svc.cluster.local.", 80, false},
        Good{"http://a/%7Ex/a@b:c", "http://a:80/%7Ex/a@b:c", "a", "/%7Ex/a@b:c", "a", 80, false}));

TEST(EngineUrl, CanonicalTextParsesToItself) {
  for (char const* text : {"http://[::ffff:1.2.3.4]", "https://A.b/c/", "http://x:1"}) {
    auto const once = parse_engine_url(text);
    ASSERT_TRUE(once) << text;
    auto const twice = parse_engine_url(once->text);
    ASSERT_TRUE(twice) << once->text;
    EXPECT_EQ(twice->text, once->text);
    EXPECT_EQ(twice->authority, once->authority);
  }
}

struct Bad {
  std::string text, why;
};

class BadUrl : public ::testing::TestWithParam<Bad> {};

TEST_P(BadUrl, IsRefusedWithTheReason) {
  auto const url = parse_engine_url(GetParam().text);
  ASSERT_FALSE(url) << GetParam().text << " became " << url->text;
  EXPECT_THAT(url.error().message, ::testing::HasSubstr(GetParam().why)) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadUrl,
    ::testing::Values(Bad{"", "http://"}, Bad{"engine:8000", "http://"}, Bad{"ftp://engine", "http://"},
                      Bad{"http:/engine", "http://"}, Bad{" http://engine", "http://"}, Bad{"http://", "no host"},
                      Bad{"http:///base", "no host"}, Bad{"http://:80", "no host"}, Bad{"http://[]", "no host"},
                      Bad{"http://user:pw@engine", "user"}, Bad{"http://user@engine", "user"},
                      Bad{"http://engine?x=1", "query"}, Bad{"http://engine/b#f", "fragment"},
                      Bad{"http://engine:0", "port"}, Bad{"http://engine:65536", "port"}, Bad{"http://engine:", "port"},
                      Bad{"http://engine:080", "port"}, Bad{"http://engine:+80", "port"},
                      Bad{"http://engine:80x", "port"}, Bad{"http://[::1]80", "port"}, Bad{"http://[::1", "]"},
                      Bad{"http://[1.2.3.4]", "host"}, Bad{"http://[fe80::1%25eth0]", "host"},
                      Bad{"http://::1", "no host"}, Bad{"http://2001:db8::1", "host"}, Bad{"http://256.1.1.1", "host"},
                      Bad{"http://1.2.3", "host"}, Bad{"http://010.0.0.1", "host"}, Bad{"http://12345", "host"},
                      Bad{"http://-a", "host"}, Bad{"http://a-.b", "host"}, Bad{"http://a..b", "host"},
                      Bad{"http://a b", "host"}, Bad{"http://a\r\nx", "host"}, Bad{"http://\xc3\xa4", "host"},
                      Bad{"http://a/b c", "path"}, Bad{"http://a/%4", "path"}, Bad{"http://a/%zz", "path"},
                      Bad{"http://a/b\r\nX: y", "path"}, Bad{"http://a//b", "path"}, Bad{"http://a/./b", "path"},
                      Bad{"http://a/..", "path"}, Bad{"http://" + std::string(64, 'a'), "host"},
                      Bad{std::string("http://a\0b", 10), "host"}));

TEST(Host, KnowsItsThreeForms) {
  for (char const* good : {"localhost", "a.b", "0.0.0.0", "::", "::1", "a_b"}) EXPECT_TRUE(is_host(good)) << good;
  for (char const* bad : {"", "[::1]", "1.2.3", "a b", "http://a", "a:80", ":::"}) EXPECT_FALSE(is_host(bad)) << bad;
}

}  // namespace
}  // namespace kvgate::config
