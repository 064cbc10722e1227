// The special tokens that a chat template sees: bos_token, eos_token, ...
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "text/chat/typed_dict.hpp"

namespace kvgate::text {

/// The files that decide them; values that are not dicts are as if the file were missing.
struct TokenizerFiles {
  Value tokenizer_config;
  Value special_tokens_map;
  Value config;
};

/// As transformers 5 has them in special_tokens_map: what tokenizer_config.json names, else the defaults of the
/// tokenizer's class. special_tokens_map.json counts only beside a tokenizer_config.json without added_tokens_decoder.
std::vector<std::pair<std::string, std::string>> special_tokens(TokenizerFiles const& files);

/// The class that transformers takes for the tokenizer, without "Fast"; "TokenizersBackend" for the general one.
std::string_view tokenizer_class(TokenizerFiles const& files);

}  // namespace kvgate::text
