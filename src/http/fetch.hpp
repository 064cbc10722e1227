// One HTTP request to one engine over a connection of its own, for the control thread (health, models) and the command
// line. The data path does not use it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/lookup.hpp"
#include "kvgate/engine_spec.hpp"
#include "kvgate/error.hpp"

namespace kvgate::http {

class TlsContext;

struct FetchRequest {
  FetchRequest(EngineUrl to, std::string path) : url(std::move(to)), target(std::move(path)) {}

  EngineUrl url;
  std::string target;  ///< as sent: the caller has put url.base in front
  std::string method = "GET";
  Addresses addresses;                                       ///< tried in this order; empty: url.host is looked up
  std::vector<std::pair<std::string, std::string>> headers;  ///< besides Host, Connection, User-Agent, Content-Length
  std::string body;
  std::chrono::milliseconds timeout{2'000};  ///< for everything, look-up and handshake included
  std::size_t max_body = 4 * 1024 * 1024;    ///< of the answer
};

struct FetchResponse {
  int status = 0;
  std::string content_type;
  std::string body;
};

/// Follows no redirects; any status is an answer. Errors:
///   engine_unreachable   no_descriptor (none is left here), resolve_failed, connect_refused, connect_failed, tls_failed, closed, reset
///   engine_timeout       timeout
///   engine_bad_response  bad_response, too_large, truncated
/// The message is "<code>: <detail>". When the coroutine is cancelled it throws boost::system::system_error instead.
/// `tls` must outlive the call.
net::awaitable<Result<FetchResponse>> fetch(FetchRequest request, TlsContext const& tls);

/// The code in front of a fetch error's message: one of those above, in static storage; "failed" for any other error.
std::string_view fetch_reason(Error const& error) noexcept;

}  // namespace kvgate::http
