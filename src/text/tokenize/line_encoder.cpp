#include "text/tokenize/line_encoder.hpp"

#include <simdjson.h>

#include "openai/json_text.hpp"

namespace kvgate::text {
namespace {

class TextEncoder final : public LineEncoder {
 public:
  TextEncoder(std::shared_ptr<Tokenizer const> tokenizer, bool add_special_tokens)
      : tokenizer_(std::move(tokenizer)), add_special_tokens_(add_special_tokens) {}

 private:
  Result<std::string> encode(std::string_view line) override {
    simdjson::dom::object object;
    if (parser_.parse(line.data(), line.size()).get(object)) {
      return Error(ErrorKind::bad_request, "the line is not a JSON object");
    }
    std::string_view text;
    if (object["text"].get(text)) return Error(ErrorKind::bad_request, "the line has no \"text\" that is a string");
    auto const done = tokenizer_->encode(text, {.add_special_tokens = add_special_tokens_}, scratch_, ids_);
    if (done.has_error()) return done.error();
    return "{\"ids\":" + ids_as_json(ids_) + "}";
  }

  std::shared_ptr<Tokenizer const> tokenizer_;
  bool add_special_tokens_;
  simdjson::dom::parser parser_;
  TokenizerScratch scratch_;
  std::vector<std::uint32_t> ids_;
};

}  // namespace

std::string LineEncoder::answer(std::string_view line) {
  auto result = encode(line);
  if (result.has_value()) return std::move(*result);
  return "{\"error\":" + openai::json_string(result.error().message) + "}";
}

std::unique_ptr<LineEncoder> make_text_encoder(std::shared_ptr<Tokenizer const> tokenizer, bool add_special_tokens) {
  return std::make_unique<TextEncoder>(std::move(tokenizer), add_special_tokens);
}

std::string ids_as_json(std::vector<std::uint32_t> const& ids) {
  std::string text = "[";
  for (std::uint32_t const id : ids) text.append(text.size() > 1 ? "," : "").append(std::to_string(id));
  return text + "]";
}

}  // namespace kvgate::text
