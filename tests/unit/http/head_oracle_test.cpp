// Beast's parsers as an oracle: what ours accept, Beast's must accept as well and read in the same way. Then no engine
// that is as lenient as Beast, or stricter, can see another message than the gate did.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include "base/ascii.hpp"
#include "http/head.hpp"
#include "mutation.hpp"

namespace kvgate::http {
namespace {

namespace beast = boost::beast::http;

std::vector<std::string> const kLines = {
    "Content-Length: 5\r\n", "Content-Length: 5, 5\r\n", "content-length: 6\r\n", "Content-Length:\t7 \r\n",
    "Content-Length : 5\r\n", "Transfer-Encoding: chunked\r\n", "transfer-encoding:chunked\t\r\n",
    "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: identity\r\n", "Transfer-Encoding: chunked, x\r\n",
    "Host: b\r\n", "Connection: close\r\n", "Connection: keep-alive, x\r\n", "connection: Upgrade\r\n",
    "Upgrade: h2c\r\n", " folded\r\n", "X-Empty:\r\n", "X:  a\tb  \r\n", "Expect: 100-continue\r\n", "\r\n", "\n"};

std::vector<std::string> const kRequests = {
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /v1/chat/completions?x=y HTTP/1.1\r\nHost: gate:8000\r\nContent-Length: 17\r\nAccept: */*\r\n\r\n",
    "POST /v1/completions HTTP/1.1\r\nhost: [::1]\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n",
    "POST /v1/x HTTP/1.0\r\nContent-Length: 0\r\nConnection: close, x\r\n\r\n",
    "PATCH http://a/b HTTP/1.1\r\nHost: a\r\nX-Long: " + std::string(200, 'x') + "\r\nX: \xff\r\n\r\n"};

std::vector<std::string> const kResponses = {
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 31\r\n\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-type: text/event-stream\r\n\r\n",
    "HTTP/1.0 404 Not Found\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.1 503 \r\nRetry-After: 1\r\nConnection: close\r\n\r\n"};

using Flat = std::vector<std::pair<std::string, std::string>>;

/// Beast keeps fields of one name together: order counts only among these.
Flat sorted(Flat fields) {
  for (auto& [name, value] : fields)
    for (char& c : name)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  std::ranges::stable_sort(fields, {}, &Flat::value_type::first);
  return fields;
}

Flat flat(Fields const& fields) {
  Flat all;
  for (auto const& f : fields.all) all.emplace_back(f.name, f.value);
  return sorted(std::move(all));
}

template <class Message>
Flat flat_beast(Message const& message) {
  Flat all;
  for (auto const& f : message) all.emplace_back(std::string(f.name_string()), std::string(f.value()));
  return sorted(std::move(all));
}

bool mentions(Fields const& fields, std::string_view name, std::string_view token) {
  auto const has = [&](Field const& f) { return iequals(f.name, name) && list_has(f.value, token); };
  return std::ranges::any_of(fields.all, has);
}

/// Where ours is lenient on purpose: the words in Connection need not be tokens. No framing hangs on that.
bool only_a_connection_list(boost::system::error_code const& error, Fields const& fields) {
  return error == beast::error::bad_value && (fields.find("connection") || fields.find("proxy-connection"));
}

template <class Head, class Parser>
void expect_same_message(Head const& head, Parser& parser) {
  EXPECT_EQ(flat(head.fields), flat_beast(parser.get()));
  EXPECT_EQ(parser.get().version(), 10u + static_cast<unsigned>(head.minor));
  if (head.framing == Framing::sized) {
    EXPECT_EQ(parser.content_length().value_or(~0u), head.content_length);
  } else if (head.framing != Framing::none) {
    EXPECT_EQ(parser.chunked(), head.framing == Framing::chunked);
    EXPECT_FALSE(parser.content_length());
  }
}

/// One head through both parsers. True: ours accepted it.
template <class Head, class Parser, class Same>
bool compare(std::string const& bytes, char const* (*parse)(std::string_view, Head&), Same same) {
  Head head;
  if (parse(bytes, head)) return false;
  Parser parser;
  boost::system::error_code error;
  auto const used = parser.put(boost::asio::buffer(bytes), error);
  if (only_a_connection_list(error, head.fields)) return true;
  EXPECT_FALSE(error) << error.message();
  if (error) return true;
  EXPECT_TRUE(parser.is_header_done());
  EXPECT_EQ(used, bytes.size());
  expect_same_message(head, parser);
  same(head, parser);
  return true;
}

bool compare_request(std::string const& bytes) {
  using Parser = beast::request_parser<beast::empty_body>;
  return compare<RequestHead, Parser>(bytes, parse_request_head, [](RequestHead const& head, Parser& parser) {
    EXPECT_EQ(std::string_view(parser.get().method_string()), head.method);
    EXPECT_EQ(std::string_view(parser.get().target()), head.target);
    if (head.framing == Framing::none) { EXPECT_FALSE(parser.chunked() || parser.content_length()); }
    // With both words Beast keeps an HTTP/1.0 connection; ours does not.
    bool const both = mentions(head.fields, "connection", "close") && mentions(head.fields, "connection", "keep-alive");
    if (!both && !head.fields.find("proxy-connection")) { EXPECT_EQ(parser.keep_alive(), head.keep_alive); }
  });
}

bool compare_response(std::string const& bytes) {
  using Parser = beast::response_parser<beast::empty_body>;
  // An engine may leave out the blank behind the status, which Beast insists on.
  auto const line_end = bytes.find("\r\n");
  auto const padded = line_end == 12 ? std::string(bytes).insert(line_end, 1, ' ') : bytes;
  ResponseHead unpadded;
  EXPECT_EQ(parse_response_head(bytes, unpadded) == nullptr, [&] {
    ResponseHead head;
    return parse_response_head(padded, head) == nullptr;
  }());
  return compare<ResponseHead, Parser>(padded, parse_response_head, [](ResponseHead const& head, Parser& parser) {
    EXPECT_EQ(parser.get().result_int(), static_cast<unsigned>(head.status));
    if (head.framing == Framing::until_close) { EXPECT_TRUE(parser.need_eof()); }
  });
}

struct Tally {
  int accepted = 0, refused = 0;
};

Tally compare_mutations(std::vector<std::string> const& seeds, bool (*compare)(std::string const&)) {
  http::test::Mutator mutator(20240607);
  Tally tally;
  for (int i = 0; i < 20000 && !testing::Test::HasFailure(); ++i) {
    auto bytes = mutator.pick(seeds);
    for (auto n = 1 + mutator.below(3); n > 0; --n) mutator.mutate(bytes, kLines);
    std::size_t scanned = 0;
    auto const end = find_head_end(bytes, scanned);
    if (end == 0) continue;
    bytes.resize(end);
    SCOPED_TRACE(testing::PrintToString(bytes));
    ++(compare(bytes) ? tally.accepted : tally.refused);
  }
  return tally;
}

TEST(HeadOracle, ReadsRequestsAsBeastDoes) {
  for (auto const& seed : kRequests) EXPECT_TRUE(compare_request(seed)) << seed;
  auto const tally = compare_mutations(kRequests, compare_request);
  EXPECT_GT(tally.accepted, 1000);
  EXPECT_GT(tally.refused, 1000);
}

TEST(HeadOracle, ReadsResponsesAsBeastDoes) {
  for (auto const& seed : kResponses) EXPECT_TRUE(compare_response(seed)) << seed;
  auto const tally = compare_mutations(kResponses, compare_response);
  EXPECT_GT(tally.accepted, 1000);
  EXPECT_GT(tally.refused, 1000);
}

}  // namespace
}  // namespace kvgate::http
