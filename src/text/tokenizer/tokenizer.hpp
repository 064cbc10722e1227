// From text to token ids, as HuggingFace `tokenizers` 0.22-0.23 does it with the same tokenizer.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "kvgate/error.hpp"
#include "text/spec/spec.hpp"

namespace kvgate::text {

/// What one thread needs to encode; works with every tokenizer, best with one. Holds a few MB at most between texts.
class TokenizerScratch {
 public:
  TokenizerScratch();
  ~TokenizerScratch();
  TokenizerScratch(TokenizerScratch&&) noexcept;
  TokenizerScratch& operator=(TokenizerScratch&&) noexcept;

 private:
  friend class Tokenizer;
  struct State;
  std::unique_ptr<State> state_;
};

struct TokenizerOptions {
  /// Encode with the general way even where there is a fast one: what the fast ones are compared with.
  bool general_only = false;
};

struct EncodeOptions {
  bool add_special_tokens = true;
  /// The text is the rest of one of which the beginning, up to one of cut_tokens(), has been encoded apart. To be used
  /// with add_special_tokens false.
  bool continues = false;
};

/// Immutable, shared between threads.
class Tokenizer {
 public:
  /// From tokenizer.json or the folder that has it. Errors (bad_request) name the file and the component.
  static Result<std::shared_ptr<Tokenizer const>> load(std::filesystem::path const& path,
                                                       TokenizerOptions options = {});
  static Result<std::shared_ptr<Tokenizer const>> make(TokenizerSpec spec, TokenizerOptions options = {});

  ~Tokenizer();
  Tokenizer(Tokenizer const&) = delete;
  Tokenizer& operator=(Tokenizer const&) = delete;

  /// Replaces `out` by the ids of `utf8`. Once `scratch` and `out` have grown nothing is allocated. Errors
  /// (bad_request): not UTF-8, over 256 MiB, something unknown that the file names no token for, or a pattern that
  /// tries too much.
  Result<void> encode(std::string_view utf8, EncodeOptions options, TokenizerScratch& scratch,
                      std::vector<std::uint32_t>& out) const;

  /// Added tokens behind each of which a text can be cut: what follows can be encoded apart, see EncodeOptions.
  std::vector<std::string_view> cut_tokens() const;

  std::size_t memory() const noexcept;  ///< bytes, roughly

 private:
  struct Parts;
  explicit Tokenizer(std::unique_ptr<Parts const> parts) noexcept;
  std::unique_ptr<Parts const> parts_;
};

}  // namespace kvgate::text
