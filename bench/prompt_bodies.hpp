// Request bodies to measure with.
#pragma once

#include <string>
#include <string_view>

#include "openai/request_view.hpp"

namespace kvgate::bench {

/// A chat of one system and, in turn, user and assistant messages of about 4 KiB, in `size` bytes in all. Its text
/// repeats `words`, which are JSON.
inline std::string chat_body(std::size_t size, std::string_view words) {
  constexpr std::string_view kTail = R"("}],"stream":true,"max_tokens":100,"temperature":0.7})";
  std::string body = R"({"model":"org/model","messages":[{"role":"system","content":"You are terse."})";
  for (int turn = 0; body.size() + kTail.size() + 64 < size; ++turn) {
    if (turn > 0) body += "\"}";
    body += turn % 2 == 0 ? R"(,{"role":"user","content":")" : R"(,{"role":"assistant","content":")";
    auto const end = std::min(body.size() + 4096, size - kTail.size());
    while (body.size() + words.size() <= end) body += words;
  }
  return body += kTail;
}

/// A body with the padding that the parser wants, parsed.
class ParsedBody {
 public:
  ParsedBody(openai::ApiKind api, std::string body) : body_(std::move(body)) {
    auto const size = body_.size();
    body_.resize(size + openai::kBodyPadding);
    view_ = parser_.parse_json(api, std::string_view(body_).substr(0, size), {}).value();
  }
  openai::RequestView const& view() const { return view_; }

 private:
  std::string body_;
  openai::RequestParser parser_;
  openai::RequestView view_;
};

}  // namespace kvgate::bench
