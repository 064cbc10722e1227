// Prompts from JSON bodies, as hashes and as text.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "openai/request_view.hpp"
#include "prefix/prompt_text.hpp"
#include "prefix/prompt_writer.hpp"
#include "prefix/text_sink.hpp"

namespace kvgate::prefix::test {

/// Keeps the text.
class StringSink final : public TextSink {
 public:
  std::string const& text() {
    flush();
    return text_;
  }

 private:
  void consume(std::string_view piece) override { text_ += piece; }

  std::string text_;
};

/// A body that was parsed; with sanitizers, a read beyond its padding is noticed. A body that the parser refuses is an
/// empty view.
class Parsed {
 public:
  Parsed(openai::ApiKind api, std::string_view body)
      : bytes_(std::make_unique<char[]>(body.size() + openai::kBodyPadding)) {
    std::memcpy(bytes_.get(), body.data(), body.size());
    std::memset(bytes_.get() + body.size(), '"', openai::kBodyPadding);
    auto const view = parser_.parse_json(api, {bytes_.get(), body.size()}, {});
    if (view) view_ = *view;
  }
  openai::RequestView const& view() const { return view_; }

 private:
  std::unique_ptr<char[]> bytes_;
  openai::RequestParser parser_;
  openai::RequestView view_;
};

inline std::string text_of(openai::RequestView const& view) {
  StringSink sink;
  PromptWriter writer(sink, 1);
  writer.write(view, ~std::uint64_t{0});
  return sink.text();
}

inline std::string text_of(openai::ApiKind api, std::string_view body) {
  return text_of(Parsed(api, body).view());
}

inline PromptBlocks blocks_of(openai::RequestView const& view) {
  PromptBlocks blocks;
  hash_prompt(view, 1, blocks);
  return blocks;
}

inline PromptBlocks blocks_of(openai::ApiKind api, std::string_view body) {
  return blocks_of(Parsed(api, body).view());
}

}  // namespace kvgate::prefix::test
