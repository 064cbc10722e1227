// A tokenizer.json in a few words.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "text/spec/load.hpp"

namespace kvgate::text::test {

struct File {
  std::string normalizer = "null";
  std::string pre_tokenizer = "null";
  std::string post_processor = "null";
  std::string added_tokens = "[]";
  std::string model = R"({"type":"BPE","vocab":{},"merges":[]})";

  std::string json() const {
    return R"({"version":"1.0","truncation":null,"padding":null,"added_tokens":)" + added_tokens + R"(,"normalizer":)" +
           normalizer + R"(,"pre_tokenizer":)" + pre_tokenizer + R"(,"post_processor":)" + post_processor +
           R"(,"decoder":null,"model":)" + model + "}";
  }

  TokenizerSpec spec() const {
    auto result = parse_tokenizer_spec(json());
    EXPECT_TRUE(result.has_value()) << (result.has_error() ? result.error().message : "");
    return result.has_value() ? std::move(*result) : TokenizerSpec{};
  }
};

/// One of added_tokens. `flags` names those that are set: single_word, lstrip, rstrip, normalized, special.
inline std::string added(std::string const& content, std::string const& flags = "") {
  std::string text = R"({"id":0,"content":")" + content + "\"";
  for (std::string const name : {"single_word", "lstrip", "rstrip", "normalized", "special"}) {
    text += ",\"" + name + "\":" + (flags.find(name) == std::string::npos ? "false" : "true");
  }
  return text + "}";
}

}  // namespace kvgate::text::test
