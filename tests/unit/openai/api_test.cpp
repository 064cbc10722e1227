#include "openai/api.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>

#include "unit/openai/recorded.hpp"

namespace kvgate::openai {
namespace {

std::vector<std::string> const kNoExtra;

std::string found(RouteTable const& table, std::string_view method, std::string_view path) {
  auto const match = table.find(method, path);
  if (!match) return std::string(to_string(match.error().kind)) + " " + match.error().param;
  return match->row->method + " " + match->row->path + " [" + std::string(match->segment) + "]";
}

struct FindCase {
  char const* method;
  char const* path;
  char const* expected;
};

TEST(RouteTable, FindsPathsAndMethods) {
  RouteTable const table(kNoExtra);
  FindCase const cases[] = {
      {"POST", "/v1/chat/completions", "POST /v1/chat/completions []"},
      {"GET", "/v1/chat/completions", "method_not_allowed POST"},
      {"HEAD", "/v1/chat/completions", "POST /v1/chat/completions []"},
      {"POST", "/classify", "POST /classify []"},
      {"POST", "/v1/audio/transcriptions", "POST /v1/audio/transcriptions []"},
      {"POST", "/v1/images/variations", "POST /v1/images/variations []"},
      {"GET", "/tokenizer_info", "GET /tokenizer_info []"},
      {"GET", "/v1/responses/resp_1.a~b-C", "GET /v1/responses/{} [resp_1.a~b-C]"},
      {"DELETE", "/v1/responses/resp_1", "DELETE /v1/responses/{} [resp_1]"},
      {"HEAD", "/v1/responses/resp_1", "GET /v1/responses/{} [resp_1]"},
      {"PUT", "/v1/responses/resp_1", "method_not_allowed GET, DELETE"},
      {"POST", "/v1/responses/resp_1/cancel", "POST /v1/responses/{}/cancel [resp_1]"},
      {"GET", "/v1/responses/resp_1/cancel", "method_not_allowed POST"},
      {"POST", "/v1/responses/render", "POST /v1/responses/render []"},
      {"GET", "/v1/responses/..", "not_found "},
      {"GET", "/v1/responses/.", "not_found "},
      {"GET", "/v1/responses/", "not_found "},
      {"GET", "/v1/responses/a/b", "not_found "},
      {"GET", "/v1/responses/a%2e", "not_found "},
      {"GET", "/v1/responses/a;b=c", "not_found "},
      {"POST", "/v1//chat/completions", "not_found "},
      {"POST", "/v1/./chat/completions", "not_found "},
      {"POST", "/v1/chat/completions/", "not_found "},
      {"POST", "/V1/chat/completions", "not_found "},
      {"POST", "/v1/%63hat/completions", "not_found "},
      {"POST", "/v1/chat/completions;x", "not_found "},
      {"GET", "", "not_found "},
      {"GET", "/", "not_found "},
      {"GET", "/health", "GET /health []"},
      {"HEAD", "/health", "GET /health []"},
      {"POST", "/health", "method_not_allowed GET, HEAD"},
      {"POST", "/explain", "POST /explain []"},
      {"GET", "/explain", "method_not_allowed POST"},
      {"HEAD", "/explain", "method_not_allowed POST"},
      {"GET", "/v1/models", "GET /v1/models []"},
      {"HEAD", "/v1/models", "GET /v1/models []"},
      {"GET", "/v1/models/tiny", "GET /v1/models/{} [tiny]"},
      {"GET", "/v1/models/org/a-1", "GET /v1/models/{} [org/a-1]"},
      {"GET", "/v1/models/org%2Fa-1", "GET /v1/models/{} [org%2Fa-1]"},
      {"GET", "/v1/models/", "not_found "},
      {"DELETE", "/v1/models/tiny", "method_not_allowed GET, HEAD"},
  };
  for (auto const& c : cases) EXPECT_EQ(found(table, c.method, c.path), c.expected) << c.method << ' ' << c.path;
}

TEST(RouteTable, SegmentLengthIsBounded) {
  RouteTable const table(kNoExtra);
  auto const path = [](std::size_t n) { return "/v1/responses/" + std::string(n, 'a'); };
  EXPECT_TRUE(table.find("GET", path(256)));
  EXPECT_FALSE(table.find("GET", path(257)));
}

TEST(RouteTable, KnowsWhatAPathSpeaks) {
  RouteTable const table(kNoExtra);
  struct {
    char const* path;
    ApiKind api;
    ErrorShape shape;
  } const cases[] = {
      {"/v1/chat/completions", ApiKind::chat, ErrorShape::openai},
      {"/v1/messages", ApiKind::messages, ErrorShape::anthropic},
      {"/v1/messages/count_tokens", ApiKind::tokenize, ErrorShape::anthropic},
      {"/v1/messages/render", ApiKind::tokenize, ErrorShape::anthropic},
      {"/v1/responses", ApiKind::responses, ErrorShape::openai},
      {"/inference/v1/generate", ApiKind::generate, ErrorShape::openai},
      {"/v2/rerank", ApiKind::rerank, ErrorShape::openai},
      {"/v1/images/edits", ApiKind::image_form, ErrorShape::openai},
      {"/v1/images/generations", ApiKind::image_json, ErrorShape::openai},
  };
  for (auto const& c : cases) {
    auto const match = table.find("POST", c.path);
    ASSERT_TRUE(match) << c.path;
    EXPECT_EQ(match->row->api, c.api) << c.path;
    EXPECT_EQ(match->row->shape, c.shape) << c.path;
    EXPECT_FALSE(match->row->by_response_id) << c.path;
  }
  EXPECT_TRUE(table.find("GET", "/v1/responses/x")->row->by_response_id);
  EXPECT_EQ(table.find("GET", "/config")->row->own, OwnEndpoint::config);
  EXPECT_EQ(table.find("GET", "/v1/models/x")->row->own, OwnEndpoint::model);
}

TEST(RouteTable, IdsAreDense) {
  std::vector<std::string> const extra{"POST /sleep", "/cohere/v2/{}"};
  RouteTable const table(extra);
  for (std::size_t i = 0; i < table.rows().size(); ++i) EXPECT_EQ(table.rows()[i].id, i);
}

TEST(RouteTable, StaysValidWhenMoved) {
  auto first = std::make_unique<RouteTable>(kNoExtra);
  RouteTable const table(std::move(*first));
  first.reset();
  EXPECT_EQ(found(table, "POST", "/score"), "POST /score []");
  EXPECT_EQ(found(table, "GET", "/v1/responses/r"), "GET /v1/responses/{} [r]");
}

TEST(RouteTable, ExtraPaths) {
  EXPECT_EQ(found(RouteTable(kNoExtra), "POST", "/sleep"), "not_found ");
  std::vector<std::string> const extra{"POST /sleep", "/cohere/v2/{}", "POST /v1/completions", "PUT /v1/completions"};
  RouteTable const table(extra);
  FindCase const cases[] = {
      {"POST", "/sleep", "POST /sleep []"},
      {"GET", "/sleep", "method_not_allowed POST"},
      {"HEAD", "/sleep", "POST /sleep []"},
      {"PATCH", "/cohere/v2/chat", " /cohere/v2/{} [chat]"},
      {"HEAD", "/cohere/v2/chat", " /cohere/v2/{} [chat]"},
      {"POST", "/cohere/v2/a/b", "not_found "},
      {"POST", "/v1/completions", "POST /v1/completions []"},
      {"PUT", "/v1/completions", "PUT /v1/completions []"},
      {"GET", "/v1/completions", "method_not_allowed POST, PUT"},
  };
  for (auto const& c : cases) EXPECT_EQ(found(table, c.method, c.path), c.expected) << c.method << ' ' << c.path;
  EXPECT_EQ(table.rows().size(), RouteTable(kNoExtra).rows().size() + 3);
}

TEST(RouteTable, RefusesMalformedExtraPaths) {
  for (std::string const entry : {"",
                                  "sleep",
                                  "POST",
                                  "POST ",
                                  " /sleep",
                                  "post /sleep",
                                  "POST  /sleep",
                                  "POST /a b",
                                  "/a/{}/{}",
                                  "/a/x{}",
                                  "/a//b",
                                  "/a/",
                                  "/",
                                  "/a/../b",
                                  "/a?b",
                                  "/a%20b",
                                  "/\xC3\xA9",
                                  "/{id}",
                                  "/health",
                                  "GET /health",
                                  "HEAD /metrics",
                                  "/v1/models/{}"}) {
    std::vector<std::string> const extra{entry};
    try {
      RouteTable const table(extra);
      ADD_FAILURE() << "accepted: " << entry;
    } catch (std::invalid_argument const& error) {
      EXPECT_NE(std::string(error.what()).find("'" + entry + "'"), std::string::npos) << error.what();
    }
  }
  std::vector<std::string> const other_method{"POST /health"};
  EXPECT_EQ(found(RouteTable(other_method), "POST", "/health"), "POST /health []");
}

/// Engine paths that are not passed on: switches, and what describes one engine only.
std::set<std::string> const kKept{"/openapi.json",
                                  "/docs",
                                  "/docs/oauth2-redirect",
                                  "/redoc",
                                  "/load",
                                  "/kv_event_sources",
                                  "/ping",
                                  "/server_info",
                                  "/scale_elastic_ep",
                                  "/is_scaling_elastic_ep",
                                  "/inference/v1/abort_requests",
                                  "/abort_requests",
                                  "/reset_prefix_cache",
                                  "/reset_mm_cache",
                                  "/reset_encoder_cache",
                                  "/collective_rpc",
                                  "/sleep",
                                  "/wake_up",
                                  "/release_kv_cache_memory",
                                  "/is_sleeping",
                                  "/pause",
                                  "/resume",
                                  "/is_paused",
                                  "/init_weight_transfer_engine",
                                  "/shutdown_weight_transfer_engine",
                                  "/start_weight_update",
                                  "/start_draft_weight_update",
                                  "/update_weights",
                                  "/finish_weight_update",
                                  "/update_weight_version",
                                  "/weight_info",
                                  "/weight_checker",
                                  "/get_world_size"};

TEST(RouteTable, CoversTheRoutesOfRecordedEngines) {
  KVGATE_NEEDS_RECORDED();
  RouteTable const table(kNoExtra);
  std::size_t proxied = 0;
  for (auto const* name : {"routes-default-scaleout.txt", "routes-devmode.txt", "routes-pooling.txt"}) {
    std::istringstream lines(test::read_file(test::recorded_dir() / name));
    for (std::string line; std::getline(lines, line);) {
      std::string const separator = ", Methods: ";
      auto const comma = line.find(separator);
      ASSERT_NE(comma, std::string::npos) << line;
      auto path = line.substr(0, comma);
      auto const methods = line.substr(comma + separator.size());
      if (auto const open = path.find('{'); open != std::string::npos) {
        path.replace(open, path.find('}') + 1 - open, "resp_1");
      }
      EXPECT_EQ(static_cast<bool>(table.find(methods.substr(0, methods.find(',')), path)), kKept.count(path) == 0)
          << line;
      proxied += kKept.count(path) == 0;
    }
  }
  EXPECT_GT(proxied, 40u);
}

TEST(SplitTarget, Forms) {
  struct {
    std::string_view target, path, path_and_query;
  } const good[] = {
      {"/", "/", "/"},
      {"/v1/models?x=1", "/v1/models", "/v1/models?x=1"},
      {"/a?b?c", "/a", "/a?b?c"},
      {"/?", "/", "/?"},
      {"//h/p", "//h/p", "//h/p"},
      {"/a%2Fb;c", "/a%2Fb;c", "/a%2Fb;c"},
      {"http://host/v1/models?q", "/v1/models", "/v1/models?q"},
      {"HTTPS://[::1]:8000/a", "/a", "/a"},
      {"http://host", "/", "/"},
      {"http://host?q=/a", "/", "/"},
  };
  for (auto const& c : good) {
    auto const target = split_target(c.target);
    ASSERT_TRUE(target) << c.target;
    EXPECT_EQ(target->path, c.path) << c.target;
    EXPECT_EQ(target->path_and_query, c.path_and_query) << c.target;
  }
  using namespace std::string_view_literals;
  for (auto const bad :
       {""sv, "*"sv, "host:80"sv, "v1/models"sv, "ftp://host/a"sv, "http:/a"sv, "http:///a"sv, "/a#b"sv, "/a b"sv,
        "/a\tb"sv, "/a\0b"sv, "/a\x7f"sv, "/\xC3\xA9"sv, "http://"sv, "http://?a"sv}) {
    auto const target = split_target(bad);
    ASSERT_FALSE(target) << bad;
    EXPECT_EQ(target.error().kind, ErrorKind::bad_request);
  }
}

TEST(PercentDecode, Escapes) {
  EXPECT_EQ(percent_decode("org%2fa-1"), "org/a-1");
  EXPECT_EQ(percent_decode("a+b%C3%A9%00").value(), std::string("a+b\xC3\xA9\0", 6));
  EXPECT_EQ(percent_decode(""), "");
  for (auto const* bad : {"%", "%1", "a%g0", "%0g"}) EXPECT_EQ(percent_decode(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace kvgate::openai
