// Bodies that are not what they should be: never a crash, a read too far, a loop without end or an error.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "unit/prefix/prompts.hpp"

namespace kvgate::prefix {
namespace {

using openai::ApiKind;
using openai::PromptPart;

/// Read as messages, prompt, tools and documents, from memory that ends where the span ends. The text's size.
std::uint64_t read_everywhere(std::string_view span) {
  std::vector<char> const exact(span.begin(), span.end());
  std::string_view const json(exact.data(), exact.size());
  std::uint64_t size = 0;
  for (auto const api : {ApiKind::chat, ApiKind::completions, ApiKind::responses, ApiKind::rerank}) {
    openai::RequestView view;
    view.api = api;
    view.prompt = view.messages = json;
    for (auto const part : {PromptPart::tools, PromptPart::system, PromptPart::documents}) {
      view.parts[static_cast<std::size_t>(part)] = json;
    }
    PromptBlocks blocks;
    hash_prompt(view, 1, blocks);
    EXPECT_EQ(blocks.hashes.size(), std::min<std::uint64_t>(kMaxBlocks, blocks.text_bytes / kBlockBytes));
    prompt_simhash(view);
    size += blocks.text_bytes;
  }
  return size;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  while (times-- > 0) all += text;
  return all;
}

/// What takes more than linear time for one of these does not come to an end here.
TEST(HostileBodies, AreReadToTheEnd) {
  constexpr std::size_t kMany = 1 << 14;
  std::string const cases[] = {
      std::string(1 << 16, '\\'),
      "\"" + std::string(1 << 16, '\\'),
      "\"" + std::string(1 << 16, '\\') + "\"",
      "[\"" + std::string((1 << 16) + 1, '\\') + "\"]",
      std::string(1 << 16, '"'),
      std::string(1 << 16, ' '),
      std::string(1 << 16, '\0'),
      std::string(1 << 16, '7'),
      "[" + std::string(1 << 16, ','),
      "[1" + std::string(1 << 16, '7') + "]",
      repeated("[", kMany),
      repeated("]", kMany),
      repeated("[", kMany) + repeated("]", kMany),
      repeated("{\"content\":", kMany),
      repeated("{\"content\":[", kMany),
      repeated("[{\"content\":[{\"text\":\"a\",", kMany),
      repeated("{\"a\":", kMany) + "1" + repeated("}", kMany),
      "\"" + repeated(R"(\ud83d)", kMany) + "\"",
      "\"" + repeated(R"(\u)", kMany) + "\"",
      "[" + repeated("{},", kMany) + "{}]",
      "[" + repeated("{\"role\":\"a\"},", kMany) + "{}]",
      "[{" + repeated("\"content\":\"a\",", kMany) + "\"role\":\"u\"}]",
  };
  for (auto const& c : cases) EXPECT_NO_FATAL_FAILURE(read_everywhere(c));
}

TEST(HostileBodies, TinyMediaAreNotWorthAGigabyte) {
  auto const images = "[{\"role\":\"u\",\"content\":[" + repeated("{\"image\":\"\"},", std::size_t{1} << 17) + "{}]}]";
  openai::RequestView view;
  view.api = ApiKind::chat;
  view.messages = images;
  PromptBlocks blocks;
  hash_prompt(view, 1, blocks);
  EXPECT_EQ(blocks.hashes.size(), kMaxBlocks);
  EXPECT_LT(blocks.text_bytes, kMaxBlocks * kBlockBytes + images.size());
}

TEST(HostileBodies, CutAnywhere) {
  std::string const json =
      R"([{"role":"user","content":[{"type":"text","text":"a\ud83d\ude00\n"},{"image_url":{"url":"data:,\/"}}],)"
      R"("tool_calls":[{"id":"1","x":[1,2.5e3,true,null]}]},"s",[1,22,4294967296,-1],{"content":"b","role":"r"}, null ])";
  std::uint64_t last = 0;
  for (std::size_t size = 0; size <= json.size(); ++size) {
    read_everywhere(json.substr(0, size));
    for (std::size_t from : {size / 2, size}) read_everywhere(json.substr(from));
  }
  last = read_everywhere(json);
  EXPECT_GT(last, 0u);
}

TEST(HostileBodies, Mutated) {
  std::string const seed =
      R"({"role":"user","content":[{"type":"text","text":"a\ud83d\\ \u00e9"},{"input_audio":{"data":"AA=="}},["x",[1]]],)"
      R"("name" : "n","tool_calls":[{"function":{"arguments":"{\"a\": 1}"}}],"refusal":null,"output":[1,2,3]})";
  std::string const alphabet = "{}[]:,\"\\u0 1-e\n\x80\xF8n";
  std::mt19937 random(11);
  for (int round = 0; round < 20'000; ++round) {
    std::string body;
    for (auto n = random() % 3; n > 0 || body.empty(); --n) {
      body += "[{"[random() % 2];
      body += seed.substr(random() % seed.size());
      if (n == 0) break;
    }
    for (auto n = random() % 6; n > 0; --n) body[random() % body.size()] = alphabet[random() % alphabet.size()];
    auto const size = read_everywhere(body);
    ASSERT_EQ(size, read_everywhere(body)) << body;
  }
}

TEST(HostileBodies, WhatIsTooDeepIsLeftOut) {
  auto const nested = [](int depth, std::string const& inner) {
    return repeated("{\"content\":[", static_cast<std::size_t>(depth)) + inner +
           repeated("]}", static_cast<std::size_t>(depth));
  };
  auto const text = [&](int depth) {
    return test::text_of(ApiKind::chat,
                         "{\"messages\":[" + nested(depth, "{\"text\":\"inner\"}") + ",{\"role\":\"after\"}]}");
  };
  EXPECT_NE(text(3).find("inner"), std::string::npos);
  EXPECT_EQ(text(20).find("inner"), std::string::npos);
  EXPECT_NE(text(20).find("after"), std::string::npos) << "only it is left out";
}

}  // namespace
}  // namespace kvgate::prefix
