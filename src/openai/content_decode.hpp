// Decoding of compressed request bodies, for routing only: the engine gets the body as it came.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "kvgate/error.hpp"

namespace kvgate::openai {

/// `encoding`: the value of Content-Encoding: gzip, x-gzip, deflate (with or without zlib's wrapper), identity or
/// empty, in any case. At most `max` bytes come out, whatever goes in. The result has room for kBodyPadding behind it.
/// Errors: unsupported_media (another encoding, or several), body_too_large (more than `max`), bad_request (broken or
/// truncated stream, or bytes behind its end).
Result<std::string> decode_body(std::string_view encoding, std::string_view body, std::size_t max);

}  // namespace kvgate::openai
