// Errors of the data path, as values. Each kind maps to one HTTP status and one error body (openai/error_body.hpp).
#pragma once

#include <boost/system/result.hpp>
#include <string>
#include <string_view>

namespace kvgate {

/// A closed set: the names label metrics and logs.
enum class ErrorKind {
  bad_request,           ///< malformed or ambiguous request: 400
  head_too_large,        ///< request head over its limit: 431
  body_too_large,        ///< request body over its limit: 413
  request_timeout,       ///< head or body not complete in time: 408
  unsupported_media,     ///< Content-Encoding or Content-Type that the gate does not take: 415
  not_found,             ///< no such path: 404
  method_not_allowed,    ///< path known, method not: 405
  model_not_found,       ///< no engine and no configuration knows the model: 404
  forbidden,             ///< own endpoint not open to this client: 403
  no_engine,             ///< the model is known, but no engine can take the request now: 503
  out_of_memory,         ///< limits.memory reached: 503
  engine_unreachable,    ///< refused, reset or closed before the request was sent, everywhere: 502
  engine_bad_response,   ///< head over 64 KiB or not HTTP: 502
  engine_lost,           ///< the engine went away after the request was sent: 502
  engine_timeout,        ///< connect, first byte or total limit of the route: 504
  client_gone,           ///< the client left: nobody to answer (logged as status 499)
  shutting_down,         ///< drain.timeout reached: 503 or an aborted stream
  internal,              ///< a defect of the gate: 500
};

/// snake_case name, as used in metric labels and logs. Never empty.
std::string_view to_string(ErrorKind kind) noexcept;

/// The HTTP status that the kind is answered with (499 for client_gone, which is only logged).
int http_status(ErrorKind kind) noexcept;

/// An error with the text that the client may read; `param` names the offending field of the request, if any.
struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;
  std::string param;

  Error() = default;
  explicit Error(ErrorKind k, std::string m = {}, std::string p = {})
      : kind(k), message(std::move(m)), param(std::move(p)) {}
};

template <class T>
using Result = boost::system::result<T, Error>;

/// Called by Result::value() on an error; the data path asks first, so this is a defect and throws std::logic_error.
[[noreturn]] void throw_exception_from_error(Error const& error, boost::source_location const& where);

}  // namespace kvgate
