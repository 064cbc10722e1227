#include <gtest/gtest.h>

#include <random>

#include "openai/request_view.hpp"

namespace kvgate::openai {
namespace {

std::string part(std::string_view headers, std::string_view content) {
  return "--b0\r\n" + std::string(headers) + "\r\n\r\n" + std::string(content) + "\r\n";
}

std::string field(std::string_view name, std::string_view content) {
  return part("Content-Disposition: form-data; name=\"" + std::string(name) + "\"", content);
}

std::string const kFile =
    "Content-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\nContent-Type: audio/wav";
std::string const kEnd = "--b0--\r\n";
char const* const kType = "multipart/form-data; boundary=b0";

/// The model, "-" without one, or "! param" when refused.
std::string model_of(std::string_view content_type, std::string_view body) {
  RequestParser parser;
  auto const view = parser.parse_multipart(ApiKind::audio_form, content_type, body);
  if (!view) {
    EXPECT_EQ(view.error().kind, ErrorKind::bad_request);
    return "! " + view.error().param;
  }
  EXPECT_EQ(view->model.value_or(""), view->model_token);
  return std::string(view->model.value_or("-"));
}

TEST(Multipart, FindsTheModel) {
  using namespace std::string_literals;
  auto const binary = "\r\n--b0x\r\n--b\r\nname=\"model\"\0\xFF\r\n\r\n--b0 x"s;
  struct {
    char const* what;
    std::string body;
    char const* model;
  } const cases[] = {
      {"alone", field("model", "whisper") + kEnd, "whisper"},
      {"behind a file", part(kFile, binary) + field("model", "whisper") + kEnd, "whisper"},
      {"before a file", field("model", "whisper") + part(kFile, binary) + kEnd, "whisper"},
      {"preamble and epilogue", "This is\r\n a form.\r\n" + field("model", "m") + kEnd + "--b0\r\nrest", "m"},
      {"blanks behind the boundary", "--b0 \t\r\n" + field("model", "m").substr(6) + "--b0--", "m"},
      {"no quotes, other order, other case",
       part("Content-Type: text/plain\r\ncontent-DISPOSITION:form-data;x=\"a;name=b\" ; NAME=model", "m") + kEnd, "m"},
      {"escapes in quotes", part(R"(Content-Disposition: form-data; x="a\"; name=z"; name="mo\del")", "m") + kEnd, "-"},
      {"content with line breaks", field("model", "a\r\nb\r\n") + kEnd, "a\r\nb\r\n"},
      {"no model", part(kFile, binary) + kEnd, "-"},
      {"empty form", kEnd, "-"},
      {"part without headers", "--b0\r\n\r\nx\r\n" + field("model", "m") + kEnd, "m"},
      {"case of the name", field("Model", "m") + kEnd, "-"},
      {"UTF-8", field("model", "m\xC3\xA9") + kEnd, "m\xC3\xA9"},
      {"repeated", field("model", "a") + field("model", "a") + kEnd, "! model"},
      {"empty model", field("model", "") + kEnd, "! model"},
      {"not UTF-8", field("model", "\xED\xA0\xBD") + kEnd, "! model"},
      {"model is a file", part("Content-Disposition: form-data; name=model; filename=x", "m") + kEnd, "! model"},
      {"encoded name", part("Content-Disposition: form-data; name*=utf-8''model", "m") + kEnd, "! "},
      {"two names", part("Content-Disposition: form-data; name=x; name=model", "m") + kEnd, "! "},
      {"open quote", part("Content-Disposition: form-data; name=\"model", "m") + kEnd, "! "},
      {"no closing boundary", field("model", "m"), "! "},
      {"other boundary", "--b1\r\n\r\nx\r\n--b1--\r\n", "! "},
      {"cut in the head", "--b0\r\nContent-Disposition: form-data; name=model", "! "},
      {"no empty line", "--b0\r\nContent-Disposition: form-data; name=model\r\n" + kEnd, "! "},
      {"line feeds only", "--b0\nContent-Disposition: form-data; name=model\n\nm\n--b0--\n", "! "},
      {"empty", "", "! "},
  };
  for (auto const& c : cases) EXPECT_EQ(model_of(kType, c.body), c.model) << c.what;
}

TEST(Multipart, Boundaries) {
  auto const body = field("model", "m") + kEnd;
  struct {
    std::string type;
    char const* model;
  } const cases[] = {
      {"multipart/form-data; boundary=\"b0\"", "m"},
      {"Multipart/Form-Data;charset=utf-8; BOUNDARY=b0 ; x=y", "m"},
      {"multipart/form-data;boundary=b0;", "m"},
      {"multipart/form-data", "! "},
      {"multipart/form-data; boundary=", "! "},
      {"multipart/form-data; boundary=\"\"", "! "},
      {"multipart/form-data; boundary=\"b0", "! "},
      {"multipart/form-data; boundary=b0; boundary=b1", "! "},
      {"multipart/form-data; boundary=" + std::string(71, 'b'), "! "},
      {"multipart/mixed; boundary=b0", "! "},
      {"", "! "},
  };
  for (auto const& c : cases) EXPECT_EQ(model_of(c.type, body), c.model) << c.type;
  EXPECT_EQ(model_of("multipart/form-data; boundary=\"a b:?\"",
                     "--a b:?\r\nContent-Disposition: form-data; name=model\r\n\r\nm\r\n--a b:?--"),
            "m");
}

TEST(Multipart, ReadsStream) {
  RequestParser parser;
  auto const streamed = parser.parse_multipart(ApiKind::audio_form, kType, field("stream", "true") + kEnd);
  ASSERT_TRUE(streamed);
  EXPECT_TRUE(streamed->stream);
  EXPECT_FALSE(parser.parse_multipart(ApiKind::audio_form, kType, field("stream", "false") + kEnd)->stream);
}

TEST(Multipart, LargeFilesAreSearchedFast) {
  for (std::string const unit : {"\r", "\r\n", "\r\n--b", "\r\n--b0x", "-"}) {
    std::string content;
    while (content.size() < 1024u * 1024) content += unit;
    EXPECT_EQ(model_of(kType, part(kFile, content) + field("model", "m") + kEnd), "m");
  }
}

TEST(Multipart, MutatedFormsNeverCrash) {
  auto const seed = part(kFile, "\r\n--b0") + field("model", "m") + kEnd;
  std::string const alphabet = "\r\n-b0:;=\"\\ ";
  std::mt19937 random(3);
  auto const pick = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  RequestParser parser;
  for (int round = 0; round < 20'000; ++round) {
    auto body = seed.substr(0, pick(4) == 0 ? pick(seed.size()) + 1 : seed.size());
    for (auto n = pick(4); n > 0; --n) body[pick(body.size())] = alphabet[pick(alphabet.size())];
    body.shrink_to_fit();
    auto const view = parser.parse_multipart(ApiKind::audio_form, kType, body);
    if (!view || !view->model) continue;
    ASSERT_GE(view->model->data(), body.data());
    ASSERT_LE(view->model->data() + view->model->size(), body.data() + body.size());
  }
}

}  // namespace
}  // namespace kvgate::openai
