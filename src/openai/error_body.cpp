#include "openai/error_body.hpp"

#include "openai/json_text.hpp"

namespace kvgate::openai {
namespace {

struct Look {
  std::string_view openai_type;
  std::string_view anthropic_type;
  std::string_view message;
  bool retry_cannot_help = false;
  int retry_after = 0;
};

constexpr std::string_view kBadRequest = "BadRequestError";
constexpr std::string_view kInvalidRequest = "invalid_request_error";
constexpr std::string_view kBusy = "Service Unavailable";
constexpr std::string_view kOverloaded = "overloaded_error";

// In the order of ErrorKind. A probe every 5 s (health.interval) brings an engine back: hence no_engine's 5.
constexpr Look kLooks[] = {
    {kBadRequest, kInvalidRequest, "the request is malformed", true},
    {kBadRequest, kInvalidRequest, "the request head is too large", true},
    {kBadRequest, "request_too_large", "the request body is too large", true},
    {"Request Timeout", "timeout_error", "the request was not complete in time"},
    {"Unsupported Media Type", kInvalidRequest, "the encoding of the request body is not supported", true},
    {"NotFoundError", "not_found_error", "no such path", true},
    {"Method Not Allowed", kInvalidRequest, "the method is not allowed on this path", true},
    {"NotFoundError", "not_found_error", "the model does not exist", true},
    {"PermissionDeniedError", "permission_error", "this endpoint is not open to you", true},
    {kBusy, kOverloaded, "no engine can take the request now", false, 5},
    {kBusy, kOverloaded, "the gate is out of memory for requests", false, 1},
    {"Bad Gateway", "api_error", "no engine could be reached"},
    {"Bad Gateway", "api_error", "the engine's response was not valid HTTP"},
    {"Bad Gateway", "api_error", "the engine was lost while it worked on the request", true},
    {"Gateway Timeout", "timeout_error", "the engine did not answer in time"},
    {kBadRequest, kInvalidRequest, "the client closed the connection", true},
    {kBusy, kOverloaded, "the gate is shutting down", false, 1},
    {"InternalServerError", "api_error", "internal error"},
};
static_assert(std::size(kLooks) == static_cast<std::size_t>(ErrorKind::internal) + 1);

Look const& look(ErrorKind kind) noexcept {
  return kLooks[static_cast<std::size_t>(kind)];
}

std::string_view message_of(Error const& error) {
  return error.message.empty() ? look(error.kind).message : std::string_view(error.message);
}

void append_member(std::string& out, std::string_view key, std::string_view value) {
  out += '"';
  out += key;
  out += "\":";
  append_json_string(out, value);
}

/// The `param` of method_not_allowed is the Allow header, not a field of the request.
void append_param(std::string& out, Error const& error) {
  if (error.param.empty() || error.kind == ErrorKind::method_not_allowed) {
    out += "\"param\":null";
  } else {
    append_member(out, "param", error.param);
  }
}

void append_error_object(std::string& out, Error const& error) {
  out += "\"error\":{";
  append_member(out, "message", message_of(error));
  out += ',';
  append_member(out, "type", look(error.kind).openai_type);
  out += ',';
  append_param(out, error);
  out += ',';
  append_member(out, "code", to_string(error.kind));
  out += '}';
}

std::string responses_event_data(Error const& error) {
  std::string out = R"({"type":"error",)";
  append_member(out, "code", to_string(error.kind));
  out += ',';
  append_member(out, "message", message_of(error));
  out += ',';
  append_param(out, error);
  out += ',';
  append_error_object(out, error);
  out += '}';
  return out;
}

}  // namespace

std::string error_body(Error const& error, ErrorShape shape) {
  std::string out;
  if (shape == ErrorShape::openai) {
    out += '{';
    append_error_object(out, error);
  } else {
    out += R"({"type":"error","error":{)";
    append_member(out, "type", look(error.kind).anthropic_type);
    out += ',';
    append_member(out, "message", message_of(error));
    out += '}';
  }
  out += '}';
  return out;
}

std::string error_event(Error const& error, ApiKind api, ErrorShape shape) {
  auto const responses = api == ApiKind::responses;
  std::string out = responses || api == ApiKind::messages ? "event: error\n" : "";
  out += "data: ";
  out += responses ? responses_event_data(error) : error_body(error, shape);
  out += "\n\n";
  return out;
}

bool retry_cannot_help(ErrorKind kind) noexcept {
  return look(kind).retry_cannot_help;
}

std::optional<int> retry_after_seconds(ErrorKind kind) noexcept {
  auto const seconds = look(kind).retry_after;
  return seconds == 0 ? std::nullopt : std::optional(seconds);
}

}  // namespace kvgate::openai
