// What routing needs of one request body, found without re-serialising anything. The view points into the body and
// into the parser's scratch; it is valid until the next parse with the same RequestParser, or until the body goes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kvgate/error.hpp"
#include "openai/api.hpp"
#include "openai/prompt_part.hpp"

namespace kvgate::openai {

/// Bytes that must be readable after the body (simdjson reads in blocks): callers allocate body.size() + kBodyPadding.
inline constexpr std::size_t kBodyPadding = 64;

/// How many fields of a caller's choice one parse looks for.
inline constexpr std::size_t kMaxExtraFields = 8;

struct RequestView {
  ApiKind api = ApiKind::other;
  std::optional<std::string_view> model;  ///< decoded (escapes resolved), never empty; nullopt: no such field
  std::string_view model_token;           ///< its raw JSON token with quotes, in the body: where an alias is spliced
                                          ///< (of a form: the value of the field, which has no quotes)
  bool stream = false;
  bool background_or_store = false;         ///< `background: true` or `store: true`: never repeated after sending
  std::optional<std::uint64_t> max_tokens;  ///< max_completion_tokens, max_output_tokens or max_tokens
  std::string_view previous_response;       ///< the id in previous_response_id; empty: none, or spelled with escapes
  std::string_view prompt;                  ///< raw JSON string, array or object of the API's prompt field (prompt,
                                            ///< input, query, queries, text_1, data_1, texts, inputs, images, token_ids
                                            ///< or prompt_embeds); empty: none
  std::string_view messages;                ///< raw JSON array (or string, object) of messages; empty: none
  std::optional<std::string_view> cache_salt;  ///< decoded; nullopt: none, or not a string
  /// Raw JSON strings, arrays, objects, `true` or `false`, by PromptPart; empty: not there, or of another type.
  std::array<std::string_view, kPromptParts> parts;
  /// Values of the extra fields that were asked for, in their order: strings decoded, numbers as they came. nullopt:
  /// not there, of another type, or "".
  std::array<std::optional<std::string_view>, kMaxExtraFields> extra;

  std::string_view part(PromptPart which) const noexcept { return parts[static_cast<std::size_t>(which)]; }
};

/// Owned by one worker; keeps its scratch between requests (given back when it grew over 1 MiB).
class RequestParser {
 public:
  RequestParser();
  ~RequestParser();
  RequestParser(RequestParser&&) noexcept;
  RequestParser& operator=(RequestParser&&) noexcept;

  /// Reads a JSON body. `extra_fields`: names of top-level fields that the caller wants to see, at most kMaxExtraFields
  /// (others are not looked for, nor is ""). Errors (all bad_request, with the field in `param`): not JSON, not an
  /// object, a repeated top-level key that routing reads (also when spelled with escapes; extra fields count), `model`
  /// that is not a non-empty string or not valid UTF-8. Never throws, never reads past body.size() + kBodyPadding. Key
  /// order does not matter; depth and number tricks cost nothing. Values of the wrong type are ignored, as is what is
  /// broken inside a value: the engine judges these. out_of_memory when there is none for the scratch (about six times
  /// the body, of which only a fraction is touched, see scratch_for).
  Result<RequestView> parse_json(ApiKind api, std::string_view body, std::span<std::string const> extra_fields);

  /// Finds the form field `model` of a multipart/form-data body; the body is untouched. Errors: bad_request when the
  /// boundary is missing or the form is broken, or `model` is repeated, empty, a file or not valid UTF-8. `stream` is
  /// read as well.
  Result<RequestView> parse_multipart(ApiKind api, std::string_view content_type, std::string_view body);

  /// Bytes of scratch that parsing a JSON body of this size reserves while it runs.
  static std::size_t scratch_for(std::size_t body_size) noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kvgate::openai
