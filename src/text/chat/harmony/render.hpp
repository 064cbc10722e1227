// Harmony messages as text or token ids.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kvgate/error.hpp"
#include "text/chat/harmony/message.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace kvgate::text::harmony {

/// The marks between the parts of a message.
struct Marks {
  std::uint32_t start = 0, end = 0, message = 0, channel = 0, call = 0;
};

/// Gpt-oss's vocabulary, in which texts are encoded without regard to special tokens that they spell. Immutable.
struct Encoding {
  std::shared_ptr<Tokenizer const> plain;  ///< knows no special tokens
  Marks marks;
};

/// `folder` is the model's, `tokenizer` the usual one of it. Errors (bad_request): it cannot be loaded, or lacks a
/// mark.
Result<Encoding> load_encoding(std::filesystem::path const& folder, Tokenizer const& tokenizer);

/// The ids of `messages` and of the beginning of the answer. Errors as of Tokenizer::encode.
Result<std::vector<std::uint32_t>> render_ids(std::span<Message const> messages, Encoding const& encoding,
                                              TokenizerScratch& scratch);

/// The same as text, with the names of the marks.
std::string render_text(std::span<Message const> messages);

}  // namespace kvgate::text::harmony
