// How an Error looks to a client: body, stream event, and the hints for SDKs that retry.
#pragma once

#include <optional>
#include <string>

#include "kvgate/error.hpp"
#include "openai/api.hpp"

namespace kvgate::openai {

/// ErrorShape::openai: {"error":{"message","type","param","code"}}. `type` is vLLM's name where it has one
/// ("BadRequestError", "NotFoundError", "Service Unavailable"); `code` is to_string(kind), which says more than the
/// status (vLLM's own errors carry the status there). ErrorShape::anthropic:
/// {"type":"error","error":{"type","message"}}. Valid JSON and UTF-8 whatever the message holds. An empty message is
/// replaced by a sentence on the kind.
std::string error_body(Error const& error, ErrorShape shape);

/// The SSE frame that ends a broken stream, in the API's own shape. Never `[DONE]`. `data: {"error":...}` as the body
/// above; with `event: error` before it on messages (Anthropic's body) and on responses, where the data are OpenAI's
/// flat event {"type":"error","code","message","param"} plus the `error` object, which SDKs raise as an exception.
std::string error_event(Error const& error, ApiKind api, ErrorShape shape);

/// Whether the same request would fail again: answered with `x-should-retry: false`. True for what the request itself
/// is to blame for, and for engine_lost: a repeat may take the next engine down.
bool retry_cannot_help(ErrorKind kind) noexcept;

/// Value of Retry-After, where waiting is what helps.
std::optional<int> retry_after_seconds(ErrorKind kind) noexcept;

}  // namespace kvgate::openai
