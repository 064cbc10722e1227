// Builds the heads that the gate sends: the request's for the engine, the response's for the client. Fields keep their
// order and spelling; hop-by-hop fields (RFC 9110 section 7.6.1) and those named in Connection stay behind.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/head.hpp"
#include "kvgate/engine_spec.hpp"
#include "kvgate/error.hpp"
#include "openai/api.hpp"

namespace kvgate::proxy {

struct EngineHeadInput {
  http::RequestHead const& head;
  std::string_view path_and_query;
  std::uint64_t body_size = 0;
  std::string_view request_id;
  std::string_view peer;             ///< the client's address
  bool trusted_peer = false;         ///< X-Forwarded-* are appended to instead of replaced
};

/// Replaces `out` with the head for one engine. The framing is always Content-Length.
void write_engine_head(EngineHeadInput const& in, EngineSpec const& engine, std::string& out);

struct ClientHeadInput {
  http::ResponseHead const& head;
  std::string_view request_id;
  int client_minor = 1;              ///< HTTP/1.0 clients get no chunked framing
  bool close = false;
  std::string_view cors_origin;      ///< empty: the engine's own CORS fields go through
  std::string_view engine;           ///< X-Kvgate-Engine; empty: no debug headers
  std::string_view decision;         ///< X-Kvgate-Decision
};

/// Replaces `out` with the head for the client.
void write_client_head(ClientHeadInput const& in, std::string& out);

struct OwnHead {
  int status = 200;
  std::string_view content_type = "application/json";
  std::optional<std::size_t> content_length = 0;   ///< nullopt: none (status 204)
  std::string_view request_id;
  std::string_view cors_origin;
  std::string_view allow;            ///< 405: the Allow field
  std::optional<int> retry_after;    ///< seconds
  bool no_retry = false;             ///< x-should-retry: false
  bool close = false;
  bool say_keep_alive = false;       ///< for HTTP/1.0 clients that asked for it
};

/// Appends the head of an answer that the gate makes itself.
void write_own_head(OwnHead const& in, std::string& out);

/// A client's X-Request-Id is kept when it is printable ASCII of 1 to 128 bytes.
bool acceptable_request_id(std::string_view id) noexcept;

std::string_view reason_phrase(int status) noexcept;

}  // namespace kvgate::proxy
