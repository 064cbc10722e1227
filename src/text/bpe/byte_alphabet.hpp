// How ByteLevel writes bytes as characters in tokenizer.json, read backwards.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kvgate::text::bpe {

/// The bytes that a token of a byte-level vocabulary stands for; nullopt: it has a character that is no byte, so no text
/// is ever that token.
std::optional<std::string> token_bytes(std::string_view token);

/// The character that stands for a byte, in UTF-8.
std::string byte_character(unsigned char byte);

}  // namespace kvgate::text::bpe
