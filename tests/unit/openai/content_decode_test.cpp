#include "openai/content_decode.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "openai/request_view.hpp"

namespace kvgate::openai {
namespace {

std::string compress(std::string_view text, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string gzip(std::string_view text) {
  return compress(text, MAX_WBITS + 16);
}

std::string text_of(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) text += std::to_string(i * 7919);
  text.resize(size);
  return text;
}

TEST(DecodeBody, Encodings) {
  for (std::size_t const size : {0u, 1u, 16'383u, 16'384u, 16'385u, 500'000u}) {
    auto const text = text_of(size);
    struct {
      char const* encoding;
      std::string body;
    } const cases[] = {
        {"gzip", gzip(text)},
        {" GZip ", gzip(text)},
        {"x-gzip", gzip(text)},
        {"deflate", compress(text, MAX_WBITS)},
        {"deflate", compress(text, -MAX_WBITS)},
        {"gzip", gzip(text.substr(0, size / 2)) + gzip(text.substr(size / 2))},
        {"identity", text},
        {"", text},
    };
    for (auto const& c : cases) {
      auto const decoded = decode_body(c.encoding, c.body, size);
      ASSERT_TRUE(decoded) << c.encoding << ' ' << size << decoded.error().message;
      EXPECT_EQ(*decoded, text) << c.encoding << ' ' << size;
      EXPECT_GE(decoded->capacity(), size + kBodyPadding) << "it can be parsed in place";
      if (size == 0) continue;
      auto const bounded = decode_body(c.encoding, c.body, size - 1);
      ASSERT_FALSE(bounded) << c.encoding << ' ' << size;
      EXPECT_EQ(bounded.error().kind, ErrorKind::body_too_large);
    }
  }
}

TEST(DecodeBody, BombStopsAtTheBound) {
  auto const bomb = gzip(std::string(64u * 1024 * 1024, '\0'));
  auto const decoded = decode_body("gzip", bomb, 1024);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().kind, ErrorKind::body_too_large);
}

TEST(DecodeBody, Broken) {
  auto const good = gzip(text_of(1000));
  auto flipped = good;
  flipped[flipped.size() - 6] ^= 1;  // in the checksum
  struct {
    char const* encoding;
    std::string body;
    ErrorKind kind;
  } const cases[] = {
      {"gzip", "", ErrorKind::bad_request},
      {"gzip", "plain text", ErrorKind::bad_request},
      {"gzip", good.substr(0, good.size() - 1), ErrorKind::bad_request},
      {"gzip", good.substr(0, 5), ErrorKind::bad_request},
      {"gzip", good + "x", ErrorKind::bad_request},
      {"gzip", flipped, ErrorKind::bad_request},
      {"deflate", "", ErrorKind::bad_request},
      {"deflate", "\xFF\xFF\xFF", ErrorKind::bad_request},
      {"deflate", compress("abc", MAX_WBITS) + "x", ErrorKind::bad_request},
      {"br", good, ErrorKind::unsupported_media},
      {"gzip, gzip", good, ErrorKind::unsupported_media},
      {"zstd", good, ErrorKind::unsupported_media},
  };
  for (auto const& c : cases) {
    auto const decoded = decode_body(c.encoding, c.body, 1 << 20);
    ASSERT_FALSE(decoded) << c.encoding << ' ' << c.body.size();
    EXPECT_EQ(decoded.error().kind, c.kind) << c.encoding << ' ' << c.body.size();
  }
}

}  // namespace
}  // namespace kvgate::openai
