#include "openai/error_body.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "openai/json_text.hpp"

namespace kvgate::openai {
namespace {

using nlohmann::json;

TEST(ErrorBody, OpenAiShape) {
  EXPECT_EQ(error_body(Error(ErrorKind::model_not_found, "The model `x` does not exist.", "model"), ErrorShape::openai),
            R"({"error":{"message":"The model `x` does not exist.","type":"NotFoundError","param":"model",)"
            R"("code":"model_not_found"}})");
  auto const lost = json::parse(error_body(Error(ErrorKind::engine_lost, "gone"), ErrorShape::openai));
  EXPECT_EQ(lost["error"]["code"], "engine_lost");
  EXPECT_TRUE(lost["error"]["param"].is_null());
}

TEST(ErrorBody, AnthropicShape) {
  EXPECT_EQ(error_body(Error(ErrorKind::body_too_large, "too large"), ErrorShape::anthropic),
            R"({"type":"error","error":{"type":"request_too_large","message":"too large"}})");
}

TEST(ErrorBody, AllowedMethodsAreNoParam) {
  Error const error(ErrorKind::method_not_allowed, "no", "GET, POST");
  EXPECT_TRUE(json::parse(error_body(error, ErrorShape::openai))["error"]["param"].is_null());
}

TEST(ErrorBody, EveryKindHasTypeMessageAndStatusThatFit) {
  for (int i = 0; i <= static_cast<int>(ErrorKind::internal); ++i) {
    auto const kind = static_cast<ErrorKind>(i);
    auto const openai = json::parse(error_body(Error(kind), ErrorShape::openai))["error"];
    EXPECT_FALSE(openai["message"].get<std::string>().empty()) << i;
    EXPECT_FALSE(openai["type"].get<std::string>().empty()) << i;
    EXPECT_EQ(openai["code"], std::string(to_string(kind)));
    auto const anthropic = json::parse(error_body(Error(kind), ErrorShape::anthropic))["error"];
    auto const type = anthropic["type"].get<std::string>();
    auto const status = http_status(kind);
    EXPECT_EQ(type == "not_found_error", status == 404) << i;
    EXPECT_EQ(type == "overloaded_error", status == 503) << i;
    EXPECT_EQ(type == "request_too_large", status == 413) << i;
    EXPECT_EQ(retry_after_seconds(kind).has_value(), status == 503) << i;
    EXPECT_EQ(retry_cannot_help(kind), (status < 500 && status != 408) || kind == ErrorKind::engine_lost) << i;
  }
}

TEST(ErrorBody, HostileTextStaysJsonAndUtf8) {
  struct {
    std::string in, out;
  } const cases[] = {
      {"a\"b\\c\n\t\r", R"(a\"b\\c\n\t\r)"},
      {std::string("\0\x01\x1f\x7f", 4), R"(\u0000\u0001\u001f\u007f)"},
      {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
      {"\xC3(", "\xEF\xBF\xBD("},
      {"\xED\xA0\xBD", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\xF5\x80\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\xE0\x80\x80x", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDx"},
      {"\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"cut\xE2\x82", "cut\xEF\xBF\xBD\xEF\xBF\xBD"},
  };
  for (auto const& c : cases) {
    EXPECT_EQ(json_string(c.in), '"' + c.out + '"');
    for (auto const shape : {ErrorShape::openai, ErrorShape::anthropic}) {
      EXPECT_TRUE(json::accept(error_body(Error(ErrorKind::bad_request, c.in, c.in), shape)));
    }
  }
}

TEST(ErrorEvent, FramesPerApi) {
  Error const error(ErrorKind::engine_lost, "line\nbreak");
  EXPECT_EQ(error_event(error, ApiKind::chat, ErrorShape::openai),
            "data: " + error_body(error, ErrorShape::openai) + "\n\n");
  EXPECT_EQ(error_event(error, ApiKind::messages, ErrorShape::anthropic),
            "event: error\ndata: " + error_body(error, ErrorShape::anthropic) + "\n\n");
  auto const frame = error_event(error, ApiKind::responses, ErrorShape::openai);
  std::string const head = "event: error\ndata: ";
  ASSERT_TRUE(frame.starts_with(head) && frame.ends_with("\n\n"));
  auto const data = json::parse(frame.substr(head.size()));
  EXPECT_EQ(data["type"], "error");
  EXPECT_EQ(data["code"], "engine_lost");
  EXPECT_EQ(data["message"], "line\nbreak");
  EXPECT_EQ(data["error"]["message"], "line\nbreak");
  // A line break in the message must not end the frame early.
  EXPECT_EQ(frame.find("\n\n"), frame.size() - 2);
}

}  // namespace
}  // namespace kvgate::openai
