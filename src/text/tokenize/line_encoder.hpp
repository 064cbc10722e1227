// What `kvgate tokenize` makes of one line.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "text/tokenizer/tokenizer.hpp"

namespace kvgate::text {

/// Reads a line of JSON and answers with one. One thread at a time.
class LineEncoder {
 public:
  virtual ~LineEncoder() = default;

  /// The answer without its line break: whatever comes in, a JSON object.
  std::string answer(std::string_view line);

 protected:
  /// The answer to one line, which may be anything.
  virtual Result<std::string> encode(std::string_view line) = 0;
};

/// `{"text": ...}` becomes `{"ids":[...]}`.
std::unique_ptr<LineEncoder> make_text_encoder(std::shared_ptr<Tokenizer const> tokenizer, bool add_special_tokens);

/// `[1,2,3]`
std::string ids_as_json(std::vector<std::uint32_t> const& ids);

}  // namespace kvgate::text
