#include "http/head.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kvgate::http {
namespace {

using namespace std::string_literals;

/// A request with these lines between the Host field and the empty line.
std::string request_with(std::string const& lines) { return "POST /v1/x HTTP/1.1\r\nHost: gate\r\n" + lines + "\r\n"; }
std::string response_with(std::string const& lines) { return "HTTP/1.1 200 OK\r\n" + lines + "\r\n"; }

std::string shown(std::string const& bytes) { return testing::PrintToString(bytes); }

struct Refusal {
  char const* name;
  std::string bytes;
};

void expect_refused(std::vector<Refusal> const& cases, bool response = false) {
  for (auto const& c : cases) {
    RequestHead request;
    ResponseHead answer;
    auto const* wrong = response ? parse_response_head(c.bytes, answer) : parse_request_head(c.bytes, request);
    EXPECT_TRUE(wrong) << c.name << ": " << shown(c.bytes);
    if (wrong) { EXPECT_STRNE(wrong, "") << c.name; }
  }
}

/// Lines that make the framing of any message ambiguous.
std::vector<std::pair<char const*, std::string>> ambiguous_lines() {
  return {
      {"both lengths and encoding", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"},
      {"both, the other way round", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"},
      {"two lengths that differ", "Content-Length: 5\r\nContent-Length: 6\r\n"},
      {"two lengths that agree", "Content-Length: 5\r\nContent-Length: 5\r\n"},
      {"two lengths in other cases", "content-length: 5\r\nCONTENT-LENGTH: 5\r\n"},
      {"list of lengths", "Content-Length: 5, 5\r\n"},
      {"list with an empty element", "Content-Length: 5,\r\n"},
      {"positive sign", "Content-Length: +5\r\n"},
      {"negative", "Content-Length: -5\r\n"},
      {"negative zero", "Content-Length: -0\r\n"},
      {"hexadecimal", "Content-Length: 0x5\r\n"},
      {"fraction", "Content-Length: 5.0\r\n"},
      {"exponent", "Content-Length: 5e0\r\n"},
      {"blank inside", "Content-Length: 5 5\r\n"},
      {"quoted", "Content-Length: \"5\"\r\n"},
      {"empty length", "Content-Length:\r\n"},
      {"blank length", "Content-Length:  \t \r\n"},
      {"over 64 bits", "Content-Length: 18446744073709551621\r\n"},
      {"over 18 digits", "Content-Length: 0000000000000000005\r\n"},
      {"letters", "Content-Length: five\r\n"},
      {"encoding with a letter in front", "Transfer-Encoding: xchunked\r\n"},
      {"encoding with a letter behind", "Transfer-Encoding: chunkedx\r\n"},
      {"identity", "Transfer-Encoding: identity\r\n"},
      {"gzip", "Transfer-Encoding: gzip\r\n"},
      {"gzip, chunked", "Transfer-Encoding: gzip, chunked\r\n"},
      {"chunked, gzip", "Transfer-Encoding: chunked, gzip\r\n"},
      {"chunked twice in a list", "Transfer-Encoding: chunked, chunked\r\n"},
      {"chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"},
      {"chunked, then identity", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"},
      {"identity, then chunked", "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n"},
      {"quoted chunked", "Transfer-Encoding: \"chunked\"\r\n"},
      {"chunked with a comma", "Transfer-Encoding: chunked,\r\n"},
      {"comma, chunked", "Transfer-Encoding: ,chunked\r\n"},
      {"chunked with a parameter", "Transfer-Encoding: chunked;q=1\r\n"},
      {"empty encoding", "Transfer-Encoding:\r\n"},
      {"vertical tab before chunked", "Transfer-Encoding: \x0b" "chunked\r\n"},
      {"form feed behind chunked", "Transfer-Encoding: chunked\x0c\r\n"},
      {"bare CR behind chunked", "Transfer-Encoding: chunked\r \r\n"},
      {"no-break space before chunked", "Transfer-Encoding: \xa0" "chunked\r\n"},
      {"length behind a bare LF", "X: y\nContent-Length: 5\r\n"},
      {"length behind a bare CR", "X: y\rContent-Length: 5\r\n"},
      {"length behind LF CR", "X: y\n\rContent-Length: 5\r\n"},
      {"space before the colon", "Content-Length : 5\r\n"},
      {"tab before the colon", "Content-Length\t: 5\r\n"},
      {"encoding with space before the colon", "Transfer-Encoding : chunked\r\n"},
      {"folded encoding", "Transfer-Encoding:\r\n chunked\r\n"},
      {"folded value", "X: a\r\n b\r\n"},
      {"folded with a tab", "X: a\r\n\tContent-Length: 5\r\n"},
      {"name with a leading blank", " Content-Length: 5\r\n"},
      {"NUL in a name", "Content\0-Length: 5\r\n"s},
      {"NUL in a value", "X: a\0b\r\n"s},
      {"NUL behind a length", "Content-Length: 5\0\r\n"s},
      {"DEL in a value", "X: a\x7f\r\n"},
      {"escape in a value", "X: \x1b[31m\r\n"},
      {"no colon", "Content-Length 5\r\n"},
      {"empty name", ": 5\r\n"},
      {"name with a slash", "X/Y: 5\r\n"},
      {"name with brackets", "X(Y): 5\r\n"},
      {"name with a byte over 0x7f", "X\xc3\xa9: 5\r\n"},
  };
}

TEST(RequestHead, RefusesAmbiguousFraming) {
  std::vector<Refusal> cases;
  for (auto const& [name, lines] : ambiguous_lines()) cases.push_back({name, request_with(lines)});
  expect_refused(cases);
}

TEST(ResponseHead, RefusesAmbiguousFraming) {
  std::vector<Refusal> cases;
  for (auto const& [name, lines] : ambiguous_lines()) cases.push_back({name, response_with(lines)});
  expect_refused(cases, true);
}

TEST(RequestHead, RefusesTheLinesThatAmbiguousFieldsHideBehindOthers) {
  std::vector<Refusal> cases;
  for (auto const& [name, lines] : ambiguous_lines())
    cases.push_back({name, request_with("Accept: */*\r\n" + lines + "User-Agent: test\r\n")});
  expect_refused(cases);
}

TEST(RequestHead, RefusesBrokenLines) {
  expect_refused({
      {"nothing", ""},
      {"empty line only", "\r\n"},
      {"empty line first", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"no empty line", "GET / HTTP/1.1\r\nHost: a\r\n"},
      {"bytes behind the head", "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET"},
      {"second head behind", "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"all lines end with LF", "GET / HTTP/1.1\nHost: a\n\n"},
      {"request line ends with LF", "GET / HTTP/1.1\nHost: a\r\n\r\n"},
      {"field ends with LF", "GET / HTTP/1.1\r\nHost: a\n\r\n"},
      {"empty line is an LF", "GET / HTTP/1.1\r\nHost: a\r\n\n"},
      {"CR CR LF", "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n"},
      {"bare CR in the request line", "GET /\r HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"no version", "GET /\r\nHost: a\r\n\r\n"},
      {"HTTP/0.9", "GET / HTTP/0.9\r\nHost: a\r\n\r\n"},
      {"HTTP/1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n"},
      {"HTTP/2.0", "GET / HTTP/2.0\r\nHost: a\r\n\r\n"},
      {"HTTP/1.1 in lower case", "GET / http/1.1\r\nHost: a\r\n\r\n"},
      {"version with a zero", "GET / HTTP/1.01\r\nHost: a\r\n\r\n"},
      {"version with a plus", "GET / HTTP/+1.1\r\nHost: a\r\n\r\n"},
      {"blank behind the version", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"},
      {"two blanks before the target", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"two blanks behind the target", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"tab instead of a blank", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"blank in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"hidden second version", "GET / HTTP/1.1 HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"tab in the target", "GET /a\tb HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"NUL in the target", "GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n"s},
      {"DEL in the target", "GET /a\x7f HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"empty target", "GET  HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"empty method", " / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"method with a colon", "GET: / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"method with a NUL", "G\0T / HTTP/1.1\r\nHost: a\r\n\r\n"s},
      {"method of 33 bytes", std::string(33, 'A') + " / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"folded first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"},
      {"encoding in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"},
  });
}

TEST(RequestHead, RefusesNoneTwoOrBrokenHosts) {
  expect_refused({
      {"none", "GET / HTTP/1.1\r\n\r\n"},
      {"two that differ", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"},
      {"two that agree", "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n"},
      {"two in HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n"},
      {"a list", "GET / HTTP/1.1\r\nHost: a,b\r\n\r\n"},
      {"blank inside", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"},
      {"user part", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"},
      {"path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"},
      {"blank before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"},
  });
}

struct Accepted {
  char const* name;
  std::string bytes;
  Framing framing;
  std::uint64_t length;
  bool keep_alive;
  bool expect;
};

TEST(RequestHead, TellsTheFraming) {
  auto const none = Framing::none, sized = Framing::sized, chunked = Framing::chunked;
  Accepted const cases[] = {
      {"no body", request_with(""), none, 0, true, false},
      {"empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", none, 0, true, false},
      {"IPv6 host", "GET / HTTP/1.1\r\nHost: [::1]:8000\r\n\r\n", none, 0, true, false},
      {"sized", request_with("Content-Length: 5\r\n"), sized, 5, true, false},
      {"empty body", request_with("Content-Length: 0\r\n"), sized, 0, true, false},
      {"leading zeros", request_with("Content-Length: 007\r\n"), sized, 7, true, false},
      {"18 digits", request_with("Content-Length: 999999999999999999\r\n"), sized, 999999999999999999u, true, false},
      {"blanks around", request_with("Content-Length: \t 5 \t\r\n"), sized, 5, true, false},
      {"no blank behind the colon", request_with("Content-Length:5\r\n"), sized, 5, true, false},
      {"chunked", request_with("Transfer-Encoding: chunked\r\n"), chunked, 0, true, false},
      {"chunked in capitals", request_with("TRANSFER-ENCODING: Chunked\r\n"), chunked, 0, true, false},
      {"names that only resemble", request_with("Content-Length-X: 1\r\nX-Transfer-Encoding: gzip\r\n"), none, 0, true,
       false},
      {"close", request_with("Connection: close\r\n"), none, 0, false, false},
      {"close in a list", request_with("Connection: x, Close\r\n"), none, 0, false, false},
      {"close in a second field", request_with("Connection: keep-alive\r\nConnection: close\r\n"), none, 0, false,
       false},
      {"close as part of a word", request_with("Connection: closed\r\n"), none, 0, true, false},
      {"1.0 ends", "GET / HTTP/1.0\r\n\r\n", none, 0, false, false},
      {"1.0 stays", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", none, 0, true, false},
      {"expect", request_with("Expect: 100-Continue\r\nContent-Length: 1\r\n"), sized, 1, true, true},
      {"1.0 expects nothing", "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n", sized, 1, false,
       false},
  };
  RequestHead head;
  for (auto const& c : cases) {
    ASSERT_STREQ(parse_request_head(c.bytes, head), nullptr) << c.name;
    EXPECT_EQ(static_cast<int>(head.framing), static_cast<int>(c.framing)) << c.name;
    EXPECT_EQ(head.content_length, c.length) << c.name;
    EXPECT_EQ(head.keep_alive, c.keep_alive) << c.name;
    EXPECT_EQ(head.expect_continue, c.expect) << c.name;
  }
}

TEST(RequestHead, KeepsEverythingAsItCame) {
  std::string const bytes =
      "PO-ST /a%20b?c=\xc3\xa9&d HTTP/1.1\r\nhOsT: gate\r\nX:\r\nX: \t two words \t\r\nY: \xff:\r\n\r\n";
  RequestHead head;
  ASSERT_STREQ(parse_request_head(bytes, head), nullptr);
  EXPECT_EQ(head.method, "PO-ST");
  EXPECT_EQ(head.target, "/a%20b?c=\xc3\xa9&d");
  EXPECT_EQ(head.minor, 1);
  std::vector<std::pair<std::string_view, std::string_view>> fields;
  for (auto const& f : head.fields.all) fields.emplace_back(f.name, f.value);
  EXPECT_THAT(fields, testing::ElementsAre(testing::Pair("hOsT", "gate"), testing::Pair("X", ""),
                                           testing::Pair("X", "two words"), testing::Pair("Y", "\xff:")));
  EXPECT_EQ(head.fields.find("x"), "");
  EXPECT_EQ(head.fields.find("HOST"), "gate");
  EXPECT_EQ(head.fields.find("z"), std::nullopt);
}

TEST(RequestHead, ForgetsTheRequestBefore) {
  RequestHead head;
  std::string const first = request_with("Connection: close\r\nContent-Length: 5\r\nExpect: 100-continue\r\n");
  std::string const second = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  ASSERT_STREQ(parse_request_head(first, head), nullptr);
  ASSERT_STREQ(parse_request_head(second, head), nullptr);
  EXPECT_EQ(head.framing, Framing::none);
  EXPECT_EQ(head.content_length, 0u);
  EXPECT_TRUE(head.keep_alive);
  EXPECT_FALSE(head.expect_continue);
  EXPECT_EQ(head.fields.all.size(), 1u);
}

TEST(RequestHead, TakesAtMost256Fields) {
  RequestHead head;
  std::string lines;
  for (int i = 0; i < 255; ++i) lines += "X: y\r\n";
  auto const most = request_with(lines), more = request_with(lines + "X: y\r\n");
  EXPECT_STREQ(parse_request_head(most, head), nullptr);
  EXPECT_EQ(parse_request_head(more, head), kTooManyFields);
}

struct Answered {
  char const* name;
  std::string bytes;
  int status;
  Framing framing;
  bool keep_alive;
};

TEST(ResponseHead, TellsTheFraming) {
  Answered const cases[] = {
      {"sized", response_with("Content-Length: 5\r\n"), 200, Framing::sized, true},
      {"chunked", response_with("Transfer-Encoding: chunked\r\n"), 200, Framing::chunked, true},
      {"neither", response_with(""), 200, Framing::until_close, true},
      {"1.0", "HTTP/1.0 200 OK\r\n\r\n", 200, Framing::until_close, false},
      {"1.0 that stays", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n", 200, Framing::sized,
       true},
      {"close", response_with("Connection: close\r\nContent-Length: 5\r\n"), 200, Framing::sized, false},
      {"204 with a length", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", 204, Framing::none, true},
      {"304 with a length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", 304, Framing::none, true},
      {"304 chunked", "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", 304, Framing::none, true},
      {"100", "HTTP/1.1 100 Continue\r\n\r\n", 100, Framing::none, true},
      {"103 with fields", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 103, Framing::none, true},
      {"no reason", "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", 200, Framing::sized, true},
      {"no reason and no blank", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200, Framing::sized, true},
      {"unknown status", "HTTP/1.1 599 Own\r\nContent-Length: 0\r\n\r\n", 599, Framing::sized, true},
  };
  ResponseHead head;
  for (auto const& c : cases) {
    ASSERT_STREQ(parse_response_head(c.bytes, head), nullptr) << c.name;
    EXPECT_EQ(head.status, c.status) << c.name;
    EXPECT_EQ(static_cast<int>(head.framing), static_cast<int>(c.framing)) << c.name;
    EXPECT_EQ(head.keep_alive, c.keep_alive) << c.name;
    EXPECT_EQ(head.status_line, c.bytes.substr(0, c.bytes.find('\r'))) << c.name;
  }
}

TEST(ResponseHead, RefusesWhatIsNoStatusLine) {
  expect_refused(
      {
          {"nothing", ""},
          {"HTTP/0.9", "hello\r\n\r\n"},
          {"HTTP/2", "HTTP/2 200 OK\r\n\r\n"},
          {"HTTP/1.2", "HTTP/1.2 200 OK\r\n\r\n"},
          {"lower case", "http/1.1 200 OK\r\n\r\n"},
          {"two digits", "HTTP/1.1 20 OK\r\n\r\n"},
          {"four digits", "HTTP/1.1 2000 OK\r\n\r\n"},
          {"below 100", "HTTP/1.1 099 OK\r\n\r\n"},
          {"signed", "HTTP/1.1 +20 OK\r\n\r\n"},
          {"two blanks", "HTTP/1.1  200 OK\r\n\r\n"},
          {"tab behind the status", "HTTP/1.1 200\tOK\r\n\r\n"},
          {"control byte in the reason", "HTTP/1.1 200 O\x01K\r\n\r\n"},
          {"bare CR in the reason", "HTTP/1.1 200 O\rK\r\n\r\n"},
          {"bare LF", "HTTP/1.1 200 OK\nX: y\r\n\r\n"},
          {"encoding in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
      },
      true);
}

struct EndCase {
  std::string bytes;
  std::size_t end;
};

TEST(FindHeadEnd, IsTheSameWhereverTheBytesAreCut) {
  EndCase const cases[] = {
      {"GET / HTTP/1.1\r\nHost: a\r\n\r\nbody\r\n\r\n", 27},
      {"a\r\n\r\n", 5},
      {"a\n\n", 3},
      {"a\n\r\n", 4},
      {"a\r\n\n", 4},
      {"a\r\nb\nc\r\n\r\n", 10},
      {"a\r\n\rb\r\n\r\n", 9},
      {"a\r\n\r\r\n", 0},
      {"a\r\nb\r\n", 0},
      {"a\r\n\r", 0},
      {"", 0},
      {"\r\n", 0},
      {"no line at all", 0},
  };
  for (auto const& c : cases) {
    for (std::size_t step = 1; step <= c.bytes.size() + 1; ++step) {
      std::size_t scanned = 0, end = 0;
      for (std::size_t have = 0; have < c.bytes.size() && !end;) {
        have = std::min(have + step, c.bytes.size());
        end = find_head_end(std::string_view(c.bytes).substr(0, have), scanned);
      }
      EXPECT_EQ(end, c.end) << shown(c.bytes) << " in steps of " << step;
    }
  }
}

TEST(ListHas, FindsWholeTokensOnly) {
  EXPECT_TRUE(list_has("close", "close"));
  EXPECT_TRUE(list_has(" a ,\tCLOSE ,b", "close"));
  EXPECT_TRUE(list_has(",,close", "close"));
  EXPECT_FALSE(list_has("", "close"));
  EXPECT_FALSE(list_has("closed, disclose", "close"));
  EXPECT_FALSE(list_has("clo se", "close"));
}

}  // namespace
}  // namespace kvgate::http
