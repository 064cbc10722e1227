#include "http/fetch.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/read.hpp>
#include <filesystem>
#include <future>

#include "http/tls_context.hpp"
#include "kvgate/clock.hpp"
#include "support/stub_engine.hpp"

namespace kvgate::http {
namespace {

using namespace std::chrono_literals;
using test::http_answer;
using test::run_until;
using test::StubEngine;

class Fetch : public testing::Test {
 protected:
  static FetchRequest request_to(StubEngine const& engine, std::string host = "127.0.0.1") {
    FetchRequest request(engine.url(host), "/health");
    request.addresses = {engine.address()};
    return request;
  }

  Result<FetchResponse> get(FetchRequest request, TlsContext const& tls) {
    std::optional<Result<FetchResponse>> result;
    net::co_spawn(io, fetch(std::move(request), tls), [&](std::exception_ptr failure, Result<FetchResponse> got) {
      EXPECT_FALSE(failure);
      result = std::move(got);
    });
    EXPECT_TRUE(run_until(io, [&] { return result.has_value(); }));
    return result.value_or(Error(ErrorKind::internal, "no result"));
  }
  Result<FetchResponse> get(FetchRequest request) { return get(std::move(request), plain); }

  void expect_error(Result<FetchResponse> const& result, ErrorKind kind, std::string_view reason) {
    ASSERT_TRUE(result.has_error()) << result->status;
    EXPECT_EQ(to_string(result.error().kind), to_string(kind)) << result.error().message;
    EXPECT_EQ(fetch_reason(result.error()), reason) << result.error().message;
  }

  net::io_context io;
  TlsContext plain{"", false};
};

TEST_F(Fetch, SendsAWellFormedRequest) {
  StubEngine engine(io, [](auto&) { return http_answer(200, "ok", "text/plain"); });
  auto request = request_to(engine, "engine-1");
  request.method = "POST";
  request.target = "/base/do?x=1";
  request.headers = {{"Authorization", "Bearer k"}};
  request.body = "{}";
  auto const result = get(std::move(request));
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->status, 200);
  EXPECT_EQ(result->body, "ok");
  EXPECT_EQ(result->content_type, "text/plain");
  auto const& sent = engine.requests().at(0);
  EXPECT_TRUE(
      sent.starts_with("POST /base/do?x=1 HTTP/1.1\r\nHost: engine-1:" + std::to_string(engine.port()) + "\r\n"))
      << sent;
  EXPECT_NE(sent.find("\r\nAuthorization: Bearer k\r\n"), std::string::npos);
  EXPECT_NE(sent.find("\r\nContent-Length: 2\r\n"), std::string::npos);
  EXPECT_TRUE(sent.ends_with("\r\n\r\n{}")) << sent;
}

struct AnswerCase {
  char const* name;
  std::string bytes;
  int status;
  std::string body;
};

TEST_F(Fetch, ReadsEveryFraming) {
  AnswerCase const cases[] = {
      {"sized", http_answer(503, "busy"), 503, "busy"},
      {"empty", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, ""},
      {"no content", "HTTP/1.1 204 No Content\r\n\r\n", 204, ""},
      {"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", 200,
       "abcde"},
      {"until close", "HTTP/1.0 200 OK\r\n\r\nall of it", 200, "all of it"},
      {"large", http_answer(200, std::string(300'000, 'x')), 200, std::string(300'000, 'x')},
  };
  for (auto const& c : cases) {
    StubEngine engine(io, [&](auto&) { return c.bytes; });
    auto const result = get(request_to(engine));
    ASSERT_TRUE(result.has_value()) << c.name << ": " << result.error().message;
    EXPECT_EQ(result->status, c.status) << c.name;
    EXPECT_EQ(result->body, c.body) << c.name;
  }
}

TEST_F(Fetch, HeadHasNoBodyWhateverItsLength) {
  StubEngine engine(io, [](auto&) { return "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"; });
  auto request = request_to(engine);
  request.method = "HEAD";
  auto const result = get(std::move(request));
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->body, "");
}

struct FailureCase {
  char const* name;
  std::string bytes;
  ErrorKind kind;
  char const* reason;
};

TEST_F(Fetch, TellsBrokenAnswersApart) {
  auto const bad = ErrorKind::engine_bad_response;
  FailureCase const cases[] = {
      {"closed without a byte", "", ErrorKind::engine_unreachable, "closed"},
      {"cut in the head", "HTTP/1.1 200 OK\r\nConte", bad, "truncated"},
      {"cut in the body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", bad, "truncated"},
      {"not HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n", bad, "bad_response"},
      {"declared too large", "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n", bad, "too_large"},
      {"grows too large", "HTTP/1.0 200 OK\r\n\r\n" + std::string(1001, 'x'), bad, "too_large"},
      {"endless head", "HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'x'), bad, "bad_response"},
  };
  for (auto const& c : cases) {
    SCOPED_TRACE(c.name);
    StubEngine engine(io, [&](auto&) { return c.bytes; });
    auto request = request_to(engine);
    request.max_body = 1000;
    expect_error(get(std::move(request)), c.kind, c.reason);
  }
}

TEST_F(Fetch, RefusedConnect) {
  StubEngine engine(io, [](auto&) { return ""; });
  engine.close();
  expect_error(get(request_to(engine)), ErrorKind::engine_unreachable, "connect_refused");
}

TEST_F(Fetch, TriesTheNextAddress) {
  StubEngine closed(io, [](auto&) { return ""; }), engine(io, [](auto&) { return http_answer(200, ""); });
  closed.close();
  auto request = request_to(engine);
  request.addresses = {closed.address(), engine.address()};
  EXPECT_TRUE(get(std::move(request)).has_value());
}

TEST_F(Fetch, AnAnswerThatNeverEndsIsATimeoutAndTheConnectionGoes) {
  bool gone = false;
  net::ip::tcp::acceptor acceptor(io, {net::ip::address_v4::loopback(), 0});
  net::ip::tcp::socket peer(io);
  std::string received;
  acceptor.async_accept(peer, [&](auto) {
    net::write(peer, net::buffer(std::string_view("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab")));
    net::async_read(peer, net::dynamic_buffer(received), [&](auto, auto) { gone = true; });
  });
  EngineUrl url;
  url.host = "127.0.0.1";
  FetchRequest request(url, "/");
  request.addresses = {*address_of_literal("127.0.0.1", acceptor.local_endpoint().port())};
  request.timeout = 50ms;
  auto const begin = Clock::now();
  expect_error(get(std::move(request)), ErrorKind::engine_timeout, "timeout");
  EXPECT_LT(Clock::now() - begin, 5s);
  EXPECT_TRUE(run_until(io, [&] { return gone; }));
}

TEST_F(Fetch, LooksTheNameUpWhenNoAddressIsGiven) {
  StubEngine engine(io, [](auto&) { return http_answer(200, ""); });
  auto request = request_to(engine, "localhost");
  request.addresses.clear();
  auto const result = get(std::move(request));
  EXPECT_TRUE(result.has_value()) << result.error().message;

  FetchRequest unknown(engine.url("no such host"), "/");
  expect_error(get(std::move(unknown)), ErrorKind::engine_unreachable, "resolve_failed");
}

TEST_F(Fetch, CancellationEndsItAtOnce) {
  StubEngine engine(io, [](auto&) { return std::nullopt; });
  net::cancellation_signal cancel;
  bool ended = false;
  auto request = request_to(engine);
  request.timeout = 1h;
  auto done = [&](std::exception_ptr, Result<FetchResponse>) { ended = true; };
  net::co_spawn(io, fetch(std::move(request), plain), net::bind_cancellation_slot(cancel.slot(), done));
  ASSERT_TRUE(run_until(io, [&] { return !engine.requests().empty(); }));
  cancel.emit(net::cancellation_type::terminal);
  EXPECT_TRUE(run_until(io, [&] { return ended; }));
}

TEST(LookUp, AHangingNameServerDelaysNeitherCancellationNorTheEnd) {
  std::promise<void> release;
  auto const hang = [held = release.get_future().share()](std::string const&, std::uint16_t) -> Result<Addresses> {
    held.wait();
    return Addresses{};
  };
  bool ended = false;
  {
    net::io_context io;
    net::cancellation_signal cancel;
    auto done = [&](std::exception_ptr failure, Result<Addresses>) { ended = failure != nullptr; };
    net::co_spawn(io, look_up("engine", 80, hang), net::bind_cancellation_slot(cancel.slot(), done));
    io.poll();
    cancel.emit(net::cancellation_type::terminal);
    io.run();  // out of work although the look-up still hangs
  }
  EXPECT_TRUE(ended);
  release.set_value();
}

TEST(FetchReason, IsFromAClosedSet) {
  EXPECT_EQ(fetch_reason(Error(ErrorKind::engine_timeout, "timeout: connect")), "timeout");
  EXPECT_EQ(fetch_reason(Error(ErrorKind::internal, "timeouts")), "failed");
  EXPECT_EQ(fetch_reason(Error()), "failed");
}

/// An engine with a certificate for engine.test and 127.0.0.1.
class TlsFetch : public Fetch {
 protected:
  TlsFetch() {
    std::string pattern = std::filesystem::temp_directory_path() / "kvgate-ca-XXXXXX";
    ::close(mkstemp(pattern.data()));
    ca_file = pattern;
    identity.write_pem(ca_file);
  }
  ~TlsFetch() override { std::filesystem::remove(ca_file); }

  test::TlsIdentity identity{"DNS:engine.test,IP:127.0.0.1"};
  std::string ca_file;
  StubEngine engine{io, [](auto&) { return http_answer(200, "secret"); }, &identity};
};

TEST_F(TlsFetch, SendsTheNameAndChecksTheCertificate) {
  TlsContext const trusting(ca_file, false);
  auto const by_name = get(request_to(engine, "engine.test"), trusting);
  ASSERT_TRUE(by_name.has_value()) << by_name.error().message;
  EXPECT_EQ(by_name->body, "secret");
  EXPECT_EQ(engine.server_name(), "engine.test");
  auto const by_address = get(request_to(engine, "127.0.0.1"), trusting);
  EXPECT_TRUE(by_address.has_value()) << by_address.error().message;
}

TEST_F(TlsFetch, RefusesWhatItCannotTrust) {
  TlsContext const trusting(ca_file, false);
  expect_error(get(request_to(engine, "other.test"), trusting), ErrorKind::engine_unreachable, "tls_failed");
  expect_error(get(request_to(engine, "engine.test"), plain), ErrorKind::engine_unreachable, "tls_failed");
  EXPECT_TRUE(engine.requests().empty());
}

TEST_F(TlsFetch, AcceptsAnythingWhenToldTo) {
  TlsContext const careless("", true);
  EXPECT_TRUE(get(request_to(engine, "other.test"), careless).has_value());
}

TEST_F(TlsFetch, AnAnswerCutWithoutATlsEndIsNotTakenForWhole) {
  TlsContext const trusting(ca_file, false);
  StubEngine cut(
      io, [](auto&) { return "HTTP/1.0 200 OK\r\n\r\npart of"; }, &identity);
  expect_error(get(request_to(cut, "engine.test"), trusting), ErrorKind::engine_bad_response, "truncated");
}

TEST(TlsContextTest, NamesTheFileThatItCannotRead) {
  try {
    TlsContext("/no/such/ca.pem", true);
    FAIL() << "accepted";
  } catch (std::runtime_error const& error) {
    EXPECT_NE(std::string(error.what()).find("/no/such/ca.pem"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace kvgate::http
