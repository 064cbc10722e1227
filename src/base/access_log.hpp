// The access log: what happened to one request, formatted by the log's background thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/log.hpp"
#include "kvgate/clock.hpp"
#include "kvgate/error.hpp"

namespace kvgate::log {

/// Owns what it says, except `policy` and `reason`, which are names with static storage. Strings over 512 bytes are
/// cut. An empty engine means that the request was never routed.
struct AccessRecord {
  std::string request_id;
  std::optional<std::string> session_id;
  std::string route;
  std::string model;
  std::string engine;              ///< URL of the engine that answered, or of the last one tried
  std::string_view policy;         ///< that made the decision
  std::string_view reason;         ///< its reason code
  int status = 0;                  ///< as the client saw it; 499: it left before
  std::optional<ErrorKind> error;  ///< when the gate made the answer, or cut it short
  std::uint64_t bytes_in = 0;      ///< request body
  std::uint64_t bytes_out = 0;     ///< response body
  std::optional<std::uint64_t> prompt_tokens;
  std::optional<std::uint64_t> cached_tokens;
  std::optional<std::uint64_t> completion_tokens;
  WallClock::time_point routed_at;      ///< when the engine was chosen
  Clock::duration decision{};           ///< what choosing took
  std::optional<Clock::duration> ttft;  ///< from the request's arrival to the first body byte
  Clock::duration total{};
  std::uint32_t retries = 0;
};

/// Queues the record. Text: for a routed request the line
/// `Routing request <id> with session id <sid|None> to <url> at <epoch seconds>, process time = <seconds>`,
/// then one line `access id=... status=...`. JSON: one object with every field, null where there is nothing.
/// Written whatever the level; whether there is an access log is the caller's decision. Allocates nothing unless it has
/// to cut.
void access(AccessRecord&& record);

/// The lines of a record without timestamp and level. `routing` is empty in JSON and for a request never routed.
struct AccessLines {
  std::string routing;
  std::string access;
};
AccessLines format_access(AccessRecord const& record, Format format);

}  // namespace kvgate::log
