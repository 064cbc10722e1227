#include "http/chunks.hpp"

#include <gtest/gtest.h>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>

#include "http/body_tracker.hpp"
#include "mutation.hpp"

namespace kvgate::http {
namespace {

using namespace std::string_literals;
namespace beast = boost::beast::http;

enum class End { more, done, bad };

std::ostream& operator<<(std::ostream& out, End end) {
  return out << (end == End::more ? "more" : end == End::done ? "done" : "bad");
}

struct Read {
  End end = End::more;
  std::string payload;
  std::size_t used = 0;
  bool operator==(Read const&) const = default;
};

/// Everything that the tracker says of bytes that come in these pieces.
template <class NextPiece>
Read read(std::string const& bytes, NextPiece next_piece) {
  BodyTracker tracker;
  tracker.start(Framing::chunked, 0);
  Read all;
  for (std::size_t at = 0; at < bytes.size() && all.end == End::more;) {
    auto const piece = std::string_view(bytes).substr(at, next_piece());
    auto const fed = tracker.feed(piece, [&](std::string_view payload) { all.payload += payload; });
    all.used += fed.used;
    at += piece.size();
    all.end = fed.bad ? End::bad : tracker.done() ? End::done : End::more;
    if (all.end == End::more) { EXPECT_EQ(fed.used, piece.size()); }
  }
  return all;
}
Read read(std::string const& bytes) { return read(bytes, [&] { return bytes.size(); }); }

struct Case {
  char const* name;
  std::string bytes;
  End end;
  std::string payload;
};

void expect_reads(std::vector<Case> const& cases) {
  for (auto const& c : cases) {
    auto const whole = read(c.bytes);
    EXPECT_EQ(whole.end, c.end) << c.name;
    EXPECT_EQ(whole.payload, c.payload) << c.name;
    EXPECT_EQ(read(c.bytes, [] { return 1; }), whole) << c.name << ", byte by byte";
  }
}

TEST(ChunkTracker, FindsThePayloadAndTheEnd) {
  auto const done = End::done;
  expect_reads({
      {"empty", "0\r\n\r\n", done, ""},
      {"one", "3\r\nabc\r\n0\r\n\r\n", done, "abc"},
      {"payload that looks like the end", "7\r\n0\r\n\r\n..\r\n0\r\n\r\n", done, "0\r\n\r\n.."},
      {"hex in both cases", "a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", done, "01234567890123456789"},
      {"leading zeros", "003\r\nabc\r\n000\r\n\r\n", done, "abc"},
      {"extensions", "3;a=b;c=\"d;\"\r\nabc\r\n0;x\r\n\r\n", done, "abc"},
      {"blank before an extension", "3 ;a\r\nabc\r\n0\r\n\r\n", done, "abc"},
      {"trailers", "0\r\nX: y\r\nZ:\r\n\r\n", done, ""},
      {"bytes of the next message", "0\r\n\r\nHTTP/1.1 200 OK\r\n", done, ""},
      {"cut in the size", "3", End::more, ""},
      {"cut in the payload", "3\r\nab", End::more, "ab"},
      {"cut before the last line", "0\r\n", End::more, ""},
  });
}

TEST(ChunkTracker, RefusesWhatParsersReadDifferently) {
  auto const bad = End::bad;
  expect_reads({
      {"no size", "\r\nabc\r\n", bad, ""},
      {"LF behind the size", "3\nabc\r\n0\r\n\r\n", bad, ""},
      {"CR without LF behind the size", "3\rXabc\r\n", bad, ""},
      {"LF in an extension", "3;a\nabc\r\n", bad, ""},
      {"CR in an extension", "3;a\rb\r\nabc\r\n", bad, ""},
      {"LF behind the payload", "3\r\nabc\n0\r\n\r\n", bad, "abc"},
      {"no CRLF behind the payload", "3\r\nabcd\r\n0\r\n\r\n", bad, "abc"},
      {"0x", "0x3\r\nabc\r\n", bad, ""},
      {"plus", "+3\r\nabc\r\n", bad, ""},
      {"minus", "-3\r\nabc\r\n", bad, ""},
      {"blank first", " 3\r\nabc\r\n", bad, ""},
      {"letter", "g\r\n", bad, ""},
      {"comma", "3,3\r\nabc\r\n", bad, ""},
      {"underscore", "1_0\r\n", bad, ""},
      {"NUL behind the size", "3\0\r\nabc\r\n"s, bad, ""},
      {"65 bits", "10000000000000003\r\nabc\r\n", bad, ""},
      {"a wrapped-around size", "fffffffffffffffff\r\n", bad, ""},
      {"LF as last line", "0\r\n\n", bad, ""},
      {"CR without LF as last line", "0\r\n\rX", bad, ""},
      {"LF in a trailer", "0\r\nX: y\n\r\n", bad, ""},
      {"CR in a trailer", "0\r\nX: y\rZ\r\n\r\n", bad, ""},
      {"folded trailer", "0\r\nX: y\r\n z\r\n\r\n", bad, ""},
  });
}

TEST(ChunkTracker, RefusesWordsBehindTheSizeThatAreNoExtension) {
  expect_reads({
      {"second number", "3 3\r\nabc\r\n0\r\n\r\n", End::bad, ""},
      {"second number behind the last size", "0 5\r\n\r\n", End::bad, ""},
      {"word behind a tab", "3\tx\r\nabc\r\n0\r\n\r\n", End::bad, ""},
  });
}

TEST(ChunkTracker, RefusesControlBytesInExtensionsAndTrailers) {
  expect_reads({
      {"NUL in an extension", "3;a=\0\r\nabc\r\n0\r\n\r\n"s, End::bad, ""},
      {"NUL in a trailer", "0\r\nX: a\0b\r\n\r\n"s, End::bad, ""},
  });
}

TEST(ChunkTracker, BoundsExtensionsAndTrailers) {
  std::string const long_line(17 * 1024, 'x');
  std::string trailers;
  for (int i = 0; i < 2000; ++i) trailers += "X-Trailer: y\r\n";
  expect_reads({{"extension", "1;" + long_line, End::bad, ""},
                {"trailer", "0\r\nX: " + long_line, End::bad, ""},
                {"trailers", "0\r\n" + trailers, End::bad, ""}});
}

TEST(ChunkTracker, StaysBadAndStaysDone) {
  ChunkTracker tracker;
  EXPECT_EQ(tracker.next("x").event, ChunkTracker::Event::bad);
  EXPECT_EQ(tracker.next("0\r\n\r\n").event, ChunkTracker::Event::bad);
  tracker.reset();
  EXPECT_EQ(tracker.next("0\r\n\r\n").event, ChunkTracker::Event::done);
  auto const after = tracker.next("3\r\nabc");
  EXPECT_EQ(after.event, ChunkTracker::Event::done);
  EXPECT_EQ(after.used, 0u);
}

TEST(ChunkTracker, IsAtABoundaryOnlyBetweenChunks) {
  std::string const bytes = "3;x\r\nabc\r\n2\r\nde\r\n";
  ChunkTracker tracker;
  EXPECT_TRUE(tracker.at_boundary());
  std::string boundaries;
  for (char c : bytes) {
    tracker.next({&c, 1});
    boundaries += tracker.at_boundary() ? '1' : '0';
  }
  EXPECT_EQ(boundaries, "00000000010000001");
}

// The oracle: bodies with random changes, cut at random places.

std::string random_body(test::Mutator& random) {
  std::string body;
  for (auto n = random.below(4); n > 0; --n) {
    auto const size = 1 + random.below(40);
    char hex[8];
    snprintf(hex, sizeof hex, random.below(2) ? "%zx" : "%02zX", size);
    body += hex;
    if (random.below(4) == 0) body += ";a=b";
    body += "\r\n";
    for (std::size_t i = 0; i < size; ++i) body += "\r\n0;ab"[random.below(6)];
    body += "\r\n";
  }
  body += "0\r\n";
  if (random.below(3) == 0) body += "X-Trailer: y\r\n";
  return body + "\r\nHTTP/1.1 ";
}

/// Beast also reads the words of extensions and trailers, which ours passes on unread.
bool concerns_framing(boost::system::error_code const& error) {
  return error != beast::error::bad_chunk_extension && error != beast::error::bad_field &&
         error != beast::error::bad_value && error != beast::error::bad_content_length &&
         error != beast::error::bad_transfer_encoding;
}

void compare_with_beast(std::string const& body, Read const& ours) {
  std::string const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  auto const bytes = head + body;
  beast::response_parser<beast::string_body> parser;
  parser.eager(true);
  parser.body_limit(boost::none);
  boost::system::error_code error;
  auto const used = parser.put(boost::asio::buffer(bytes), error);
  if (error == beast::error::need_more) {
    if (body.find('"') != std::string::npos) return;   // Beast looks for the closing quote beyond the end of the line
    error = {};
  }
  if (ours.end == End::bad || (error && !concerns_framing(error))) return;
  EXPECT_FALSE(error) << error.message();
  EXPECT_EQ(parser.is_done(), ours.end == End::done);
  if (ours.end != End::done || !parser.is_done()) return;
  EXPECT_EQ(used - head.size(), ours.used);
  EXPECT_EQ(parser.get().body(), ours.payload);
}

TEST(ChunkOracle, EndsWhereBeastEnds) {
  test::Mutator random(7);
  int done = 0, bad = 0;
  for (int i = 0; i < 20000 && !HasFailure(); ++i) {
    auto body = random_body(random);
    for (auto n = random.below(3); n > 0; --n) random.mutate(body, {"0\r\n", "3\r\nabc\r\n", "5;x\r\n", "\r\n", "\n"});
    SCOPED_TRACE(testing::PrintToString(body));
    auto const whole = read(body);
    EXPECT_EQ(read(body, [&] { return 1 + random.below(9); }), whole);
    compare_with_beast(body, whole);
    done += whole.end == End::done;
    bad += whole.end == End::bad;
  }
  EXPECT_GT(done, 1000);
  EXPECT_GT(bad, 1000);
}

}  // namespace
}  // namespace kvgate::http
