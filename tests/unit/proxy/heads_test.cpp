#include "proxy/heads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kvgate::proxy {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The engine's head for a request with these lines.
struct ToEngine {
  std::string lines;
  EngineSpec engine;
  bool trusted = false;
  std::string start = "POST /v1/completions?x=%20y HTTP/1.1";

  ToEngine() { engine.url.authority = "engine:8000"; }
  std::string head() const {
    auto const bytes = start + "\r\nHost: gate\r\n" + lines + "\r\n";
    http::RequestHead parsed;
    auto const* wrong = http::parse_request_head(bytes, parsed);
    EXPECT_FALSE(wrong) << wrong;
    std::string out = "left from before";
    write_engine_head({parsed, "/v1/completions?x=%20y", 42, "id-1", "192.0.2.7", trusted}, engine, out);
    return out;
  }
};

TEST(EngineHead, IsExactlyThis) {
  ToEngine request;
  request.lines = "accept: */*\r\nContent-Length: 7\r\nX-Own: a\r\nx-own: b\r\nContent-Type: application/json\r\n";
  EXPECT_EQ(request.head(),
            "POST /v1/completions?x=%20y HTTP/1.1\r\nHost: engine:8000\r\naccept: */*\r\nX-Own: a\r\nx-own: b\r\n"
            "Content-Type: application/json\r\nContent-Length: 42\r\nX-Request-Id: id-1\r\n"
            "X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: http\r\n\r\n");
}

TEST(EngineHead, HasOneFramingWhateverTheClients) {
  ToEngine request;
  request.lines = "Transfer-Encoding: chunked\r\nTrailer: X\r\n";
  EXPECT_THAT(request.head(), HasSubstr("\r\nContent-Length: 42\r\n"));
  EXPECT_THAT(request.head(), Not(HasSubstr("ransfer-")));
  request.lines.clear();
  EXPECT_THAT(request.head(), Not(HasSubstr("Content-Length")));
  request.start = "POST / HTTP/1.0";
  EXPECT_THAT(request.head(), HasSubstr(" HTTP/1.1\r\n"));
}

TEST(EngineHead, PutsTheEnginesBaseInFront) {
  ToEngine request;
  request.engine.url.base = "/tenant";
  EXPECT_THAT(request.head(), testing::StartsWith("POST /tenant/v1/completions?x=%20y HTTP/1.1\r\n"));
}

TEST(EngineHead, DropsWhatConcernsOnlyTheConnection) {
  for (std::string const line :
       {"Connection: keep-alive", "Keep-Alive: timeout=5", "Proxy-Connection: close", "Proxy-Authorization: Basic x",
        "TE: trailers", "Trailer: X", "Upgrade: h2c", "HTTP2-Settings: AAM", "Expect: 100-continue",
        "uPGRADE: websocket"}) {
    ToEngine request;
    auto const without = request.head();
    request.lines = line + "\r\n";
    EXPECT_EQ(request.head(), without) << line;
  }
}

TEST(EngineHead, DropsWhatConnectionNames) {
  ToEngine request;
  request.lines = "X-A: 1\r\nConnection: x-a, close\r\nX-B: 2\r\nconnection: ,X-C\r\nx-c: 3\r\nX-AA: 4\r\n";
  auto const head = request.head();
  EXPECT_THAT(head, Not(HasSubstr("X-A:")));
  EXPECT_THAT(head, Not(HasSubstr("x-c:")));
  EXPECT_THAT(head, HasSubstr("X-B: 2\r\nX-AA: 4\r\n"));
}

TEST(EngineHead, ConnectionCannotNameAwayTheGatesOwnFields) {
  ToEngine request;
  request.lines = "Connection: host, content-length, x-request-id, x-forwarded-for\r\nContent-Length: 7\r\n";
  auto const head = request.head();
  for (auto const* own :
       {"Host: engine:8000", "Content-Length: 42", "X-Request-Id: id-1", "X-Forwarded-For: 192.0.2.7"})
    EXPECT_THAT(head, HasSubstr(std::string("\r\n") + own + "\r\n"));
}

TEST(EngineHead, TheEnginesKeyReplacesTheClients) {
  ToEngine request;
  request.lines = "authorization: Bearer client\r\n";
  EXPECT_THAT(request.head(), HasSubstr("authorization: Bearer client\r\n"));
  request.engine.key = "secret";
  EXPECT_THAT(request.head(), HasSubstr("Authorization: Bearer secret\r\n"));
  EXPECT_THAT(request.head(), Not(HasSubstr("client")));
}

struct ForwardedCase {
  char const* name;
  bool trusted;
  std::string lines, expected;
};

TEST(EngineHead, ForwardedFieldsAreBelievedOnlyFromTrustedProxies) {
  std::string const sent = "X-Forwarded-For: 10.1.1.1\r\nX-Forwarded-Proto: https\r\n";
  ForwardedCase const cases[] = {
      {"untrusted", false, sent, "X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: http\r\n"},
      {"trusted", true, sent, "X-Forwarded-For: 10.1.1.1, 192.0.2.7\r\nX-Forwarded-Proto: https\r\n"},
      {"trusted, nothing sent", true, "", "X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: http\r\n"},
      {"trusted, two fields", true, "X-Forwarded-For: a, b\r\nX-Forwarded-For: c\r\n",
       "X-Forwarded-For: a, b, c, 192.0.2.7\r\nX-Forwarded-Proto: http\r\n"},
      {"trusted, empty", true, "X-Forwarded-For:\r\n", "X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: http\r\n"},
  };
  for (auto const& c : cases) {
    ToEngine request;
    request.trusted = c.trusted;
    request.lines = c.lines;
    EXPECT_THAT(request.head(), testing::EndsWith("\r\nX-Request-Id: id-1\r\n" + c.expected + "\r\n")) << c.name;
  }
}

/// The client's head for a response with these lines.
struct ToClient {
  std::string lines;
  int minor = 1;
  bool close = false;
  std::string cors, engine;
  std::string start = "HTTP/1.1 200 OK";

  std::string head() const {
    auto const bytes = start + "\r\n" + lines + "\r\n";
    http::ResponseHead parsed;
    auto const* wrong = http::parse_response_head(bytes, parsed);
    EXPECT_FALSE(wrong) << wrong;
    std::string out = "left from before";
    write_client_head({parsed, "id-1", minor, close, cors, engine, "turn"}, out);
    return out;
  }
};

TEST(ClientHead, KeepsStatusOrderSpellingAndDuplicates) {
  ToClient response;
  response.start = "HTTP/1.1 299 Quite  OK";
  response.lines = "server: uvicorn\r\nSet-Cookie: a\r\ncontent-length: 5\r\nSet-Cookie: b\r\nX-Empty:\r\n";
  EXPECT_EQ(response.head(),
            "HTTP/1.1 299 Quite  OK\r\nserver: uvicorn\r\nSet-Cookie: a\r\ncontent-length: 5\r\nSet-Cookie: b\r\n"
            "X-Empty: \r\nX-Request-Id: id-1\r\n\r\n");
}

TEST(ClientHead, AnEnginesVersionIsNotTheGates) {
  ToClient response;
  response.start = "HTTP/1.0 200 OK";
  EXPECT_THAT(response.head(), testing::StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST(ClientHead, DropsWhatConcernsOnlyTheConnection) {
  for (std::string const line :
       {"Connection: close", "Keep-Alive: timeout=5", "Proxy-Connection: x", "Proxy-Authenticate: Basic",
        "Upgrade: h2c", "X-Request-Id: engine's", "X-Kvgate-Engine: forged", "x-kvgate-decision: forged"}) {
    ToClient response;
    auto const without = response.head();
    response.lines = line + "\r\n";
    EXPECT_EQ(response.head(), without) << line;
  }
}

TEST(ClientHead, DropsWhatConnectionNamesButNeverTheFraming) {
  ToClient response;
  response.lines = "Connection: x-a, transfer-encoding\r\nX-A: 1\r\nTransfer-Encoding: chunked\r\n";
  EXPECT_THAT(response.head(), Not(HasSubstr("X-A")));
  EXPECT_THAT(response.head(), HasSubstr("Transfer-Encoding: chunked\r\n"));
  response.lines = "Connection: content-length\r\nContent-Length: 5\r\n";
  EXPECT_THAT(response.head(), HasSubstr("Content-Length: 5\r\n"));
}

TEST(ClientHead, SaysHowTheConnectionGoesOn) {
  ToClient response;
  EXPECT_THAT(response.head(), Not(HasSubstr("Connection")));
  response.close = true;
  EXPECT_THAT(response.head(), HasSubstr("\r\nConnection: close\r\n"));
  response.minor = 0;
  EXPECT_THAT(response.head(), HasSubstr("\r\nConnection: close\r\n"));
  response.close = false;
  EXPECT_THAT(response.head(), HasSubstr("\r\nConnection: keep-alive\r\n"));
}

TEST(ClientHead, Http10ClientsGetNoChunks) {
  ToClient response;
  response.minor = 0;
  response.lines = "Transfer-Encoding: chunked\r\nTrailer: X\r\nContent-Type: a/b\r\n";
  EXPECT_THAT(response.head(), Not(HasSubstr("hunked")));
  EXPECT_THAT(response.head(), Not(HasSubstr("Trailer")));
  EXPECT_THAT(response.head(), HasSubstr("Content-Type: a/b\r\n"));
}

TEST(ClientHead, DebugHeadersOnlyWhenAskedFor) {
  ToClient response;
  EXPECT_THAT(response.head(), Not(HasSubstr("Kvgate")));
  response.engine = "http://e:1";
  EXPECT_THAT(response.head(), HasSubstr("X-Kvgate-Engine: http://e:1\r\nX-Kvgate-Decision: turn\r\n"));
}

TEST(ClientHead, ConfiguredCorsReplacesTheEngines) {
  ToClient response;
  response.lines = "Access-Control-Allow-Origin: https://engine\r\nAccess-Control-Allow-Credentials: true\r\n";
  EXPECT_THAT(response.head(), HasSubstr("https://engine"));
  response.cors = "https://a";
  EXPECT_THAT(response.head(), HasSubstr("Access-Control-Allow-Origin: https://a\r\nVary: Origin\r\n"));
  EXPECT_THAT(response.head(), Not(HasSubstr("engine")));
  EXPECT_THAT(response.head(), Not(HasSubstr("Credentials")));
  response.cors = "*";
  EXPECT_THAT(response.head(), Not(HasSubstr("Vary")));
}

TEST(OwnHead, IsAppendedWithOnlyWhatIsSet) {
  std::string out = "HTTP/1.1 100 Continue\r\n\r\n";
  write_own_head({.status = 200, .content_length = 2}, out);
  EXPECT_EQ(out,
            "HTTP/1.1 100 Continue\r\n\r\n"
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n");
  out.clear();
  write_own_head({.status = 503, .content_type = "a/b", .content_length = 0, .request_id = "id", .cors_origin = "*",
                  .allow = "GET", .retry_after = 3, .no_retry = true, .close = true}, out);
  EXPECT_EQ(out,
            "HTTP/1.1 503 Service Unavailable\r\nContent-Type: a/b\r\nContent-Length: 0\r\nX-Request-Id: id\r\n"
            "Allow: GET\r\nRetry-After: 3\r\nx-should-retry: false\r\nAccess-Control-Allow-Origin: *\r\n"
            "Connection: close\r\n\r\n");
}

TEST(OwnHead, EveryStatusOfAnErrorHasItsPhrase) {
  for (int kind = 0; kind <= static_cast<int>(ErrorKind::internal); ++kind) {
    auto const status = http_status(static_cast<ErrorKind>(kind));
    if (status != 500 && status != 499) { EXPECT_NE(reason_phrase(status), "Internal Server Error") << status; }
  }
}

TEST(RequestId, IsKeptWhenItIsPrintableAndShort) {
  EXPECT_TRUE(acceptable_request_id("a"));
  EXPECT_TRUE(acceptable_request_id("req-1 {~}"));
  EXPECT_TRUE(acceptable_request_id(std::string(128, 'x')));
  EXPECT_FALSE(acceptable_request_id(""));
  EXPECT_FALSE(acceptable_request_id(std::string(129, 'x')));
  EXPECT_FALSE(acceptable_request_id("a\tb"));
  EXPECT_FALSE(acceptable_request_id("a\x7f"));
  EXPECT_FALSE(acceptable_request_id("\xc3\xa9"));
}

}  // namespace
}  // namespace kvgate::proxy
