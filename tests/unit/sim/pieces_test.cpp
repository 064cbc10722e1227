// The parts that need no socket: tokens, base64, multipart forms, responses kept, faults, routes.
#include <gtest/gtest.h>

#include "sim/base64.hpp"
#include "sim/fault.hpp"
#include "sim/multipart.hpp"
#include "sim/response_store.hpp"
#include "sim/routes.hpp"
#include "sim/tokens.hpp"

namespace kvgate::sim {
namespace {

TEST(Tokens, FourBytesEachAndBackAgain) {
  for (std::string const text : {"", "a", "abcd", "abcde", "Hello, world. Licenses!", "gr\xc3\xbc\xc3\x9f dich"}) {
    auto const tokens = tokenize(text);
    EXPECT_EQ(tokens.size(), (text.size() + 3) / 4) << text;
    EXPECT_EQ(detokenize(tokens), text);
  }
}

TEST(Tokens, BlockHashesAreChainedOverFullBlocks) {
  auto const shared = tokenize(std::string(64, 'x'));  // 16 tokens
  auto longer = shared;
  longer.push_back(7);
  auto other_start = longer;
  other_start.front() = 1;

  auto const hashes = block_hashes(longer, 4, "");
  EXPECT_EQ(hashes.size(), 4U);
  EXPECT_EQ(hashes, block_hashes(shared, 4, ""));
  EXPECT_NE(hashes.back(), block_hashes(other_start, 4, "").back()) << "a later block depends on every earlier one";
  EXPECT_NE(hashes.front(), block_hashes(shared, 4, "salt").front());
  EXPECT_TRUE(block_hashes(longer, 18, "").empty());
}

TEST(Base64, PadsLikeRfc4648) {
  std::pair<char const*, char const*> const cases[] = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}};
  for (auto const& [plain, encoded] : cases) EXPECT_EQ(base64_encode(plain), encoded);
}

TEST(Multipart, FindsFieldsAndFiles) {
  std::string const body =
      "--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nsim-model\r\n"
      "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"name.wav\"\r\nContent-Type: audio/wav\r\n\r\n"
      "\r\nRIFF\r\n\r\n--b--\r\n";
  for (std::string const type : {"multipart/form-data; boundary=b", "multipart/form-data; boundary=\"b\"; x=1"}) {
    auto const form = parse_multipart(type, body);
    ASSERT_EQ(form.size(), 2U) << type;
    EXPECT_EQ(form[0], (std::pair<std::string, std::string_view>("model", "sim-model")));
    EXPECT_EQ(form[1], (std::pair<std::string, std::string_view>("file", "\r\nRIFF\r\n")));
  }
}

TEST(Multipart, BrokenFormsGiveNothing) {
  EXPECT_TRUE(parse_multipart("application/json", "{}").empty());
  EXPECT_TRUE(parse_multipart("multipart/form-data; boundary=b", "--b\r\nno end").empty());
  EXPECT_TRUE(parse_multipart("multipart/form-data; boundary=b", "--b\r\nno head\r\n--b--\r\n").empty());
}

TEST(ResponseStore, KeepsTheNewest) {
  ResponseStore store(2);
  for (std::string const id : {"a", "b", "b", "c"}) store.put(id, {.body = id});
  EXPECT_EQ(store.find("a"), nullptr);
  ASSERT_NE(store.find("b"), nullptr);
  EXPECT_EQ(store.find("c")->body, "c");
}

TEST(Fault, ReadsKindsAndSettings) {
  auto const fault = parse_fault("reset-mid-stream;after=3;count=2;ms=40;retry_after=7");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::reset_mid_stream);
  EXPECT_EQ(fault->after, 3U);
  EXPECT_EQ(fault->count, 2U);
  EXPECT_EQ(fault->delay, std::chrono::milliseconds(40));
  EXPECT_EQ(fault->retry_after, 7U);
  EXPECT_EQ(parse_fault("429")->status, 429);
  EXPECT_EQ(parse_fault("503")->retry_after, std::nullopt);
  EXPECT_EQ(parse_fault("health-down")->count, 0U) << "a state lasts until it is cleared";
}

TEST(Fault, NamesWhatItDoesNotKnow) {
  for (std::string const text :
       {"", "explode", "stall;after", "stall;after=x", "stall;after=-1", "stall;then=1", "stall;"}) {
    auto const fault = parse_fault(text);
    ASSERT_FALSE(fault) << text;
    EXPECT_EQ(fault.error().kind, ErrorKind::bad_request);
  }
  EXPECT_NE(parse_fault("explode").error().message.find("'explode'"), std::string::npos);
}

TEST(FaultQueue, HitsSoManyRequestsInOrder) {
  FaultQueue queue;
  queue.push(*parse_fault("500;count=2"));
  queue.push(*parse_fault("hang;count=0"));
  queue.push(*parse_fault("stall"));
  EXPECT_EQ(queue.take().kind, FaultKind::status);
  EXPECT_EQ(queue.take().kind, FaultKind::status);
  EXPECT_EQ(queue.take().kind, FaultKind::stall);
  EXPECT_EQ(queue.take().kind, FaultKind::none);
}

TEST(Routes, MatchMethodPathAndWildcard) {
  struct Case {
    char const* method;
    char const* path;
    bool dev_mode;
    char const* route;  // nullptr: none
    char const* allow;
    char const* segment;
  };
  Case const cases[] = {
      {"GET", "/v1/models", false, "/v1/models", "", ""},
      {"HEAD", "/v1/models", false, nullptr, "GET", ""},
      {"POST", "/v1/nothing", false, nullptr, "", ""},
      {"GET", "/v1/responses/resp_1", false, "/v1/responses/{}", "", "resp_1"},
      {"POST", "/v1/responses/resp_1/cancel", false, "/v1/responses/{}/cancel", "", "resp_1"},
      {"GET", "/v1/responses/", false, nullptr, "", ""},
      {"GET", "/v1/responses/a/b", false, nullptr, "", ""},
      {"POST", "/sleep", false, nullptr, "", ""},
      {"POST", "/sleep", true, "/sleep", "", ""},
  };
  for (auto const& c : cases) {
    auto const found = find_route(c.method, c.path, c.dev_mode);
    EXPECT_EQ(found.route != nullptr, c.route != nullptr) << c.path;
    if (found.route != nullptr) {
      EXPECT_EQ(found.route->path, c.route);
    }
    EXPECT_EQ(found.allow, c.allow) << c.path;
    EXPECT_EQ(found.segment, c.segment) << c.path;
  }
}

}  // namespace
}  // namespace kvgate::sim
