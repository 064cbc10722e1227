// Strict HTTP/1.x message heads: one pass over the raw bytes finds the fields and refuses whatever two parsers could
// read differently (RFC 9112 sections 2, 5, 6 and 11.2). No sockets, no allocation after warm-up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace kvgate::http {

struct Field {
  std::string_view name;    ///< as it came
  std::string_view value;   ///< without surrounding blanks
};

/// Does a comma-separated list (Connection, Transfer-Encoding …) contain the token?
bool list_has(std::string_view list, std::string_view token) noexcept;

/// Where the head ends: the offset behind the empty line, or 0 while it is incomplete. `scanned` remembers how far an
/// earlier call looked. Any bare LF or CR is found by the parser, not here: an LF LF ends the head too.
std::size_t find_head_end(std::string_view bytes, std::size_t& scanned) noexcept;

enum class Framing : std::uint8_t { none, sized, chunked, until_close };

struct Fields {
  std::vector<Field> all;
  /// The first field of this name; nullopt: none.
  std::optional<std::string_view> find(std::string_view name) const noexcept;
};

struct RequestHead {
  std::string_view method, target;
  int minor = 1;                       ///< HTTP/1.minor: 0 or 1
  Fields fields;
  Framing framing = Framing::none;     ///< none, sized or chunked
  std::uint64_t content_length = 0;
  bool keep_alive = true;
  bool expect_continue = false;

  /// Forgets the last request: its views would outlive its buffer.
  void reset() noexcept;
};

struct ResponseHead {
  int status = 0;
  std::string_view status_line;        ///< without CRLF
  int minor = 1;
  Fields fields;
  Framing framing = Framing::none;     ///< as the fields say; a HEAD's answer has no body all the same
  std::uint64_t content_length = 0;
  bool keep_alive = true;
};

/// What the parsers answer when a head has too many fields: their one complaint about size. Compare the pointers.
inline constexpr char kTooManyFields[] = "more than 256 header fields";

/// Nullptr when the head is sound, else what is wrong, as a text for the client. `bytes` ends with the empty line.
/// The views point into `bytes`. `head` is reused: its vectors keep their capacity.
char const* parse_request_head(std::string_view bytes, RequestHead& head);
char const* parse_response_head(std::string_view bytes, ResponseHead& head);

}  // namespace kvgate::http
