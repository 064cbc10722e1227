// Faults on demand: how a request, or the engine, is to misbehave.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "kvgate/error.hpp"

namespace kvgate::sim {

enum class FaultKind : std::uint8_t {
  none,
  // These hit one request each.
  reset_before_head,  ///< RST, nothing answered
  close_before_head,  ///< FIN, nothing answered
  close_after_head,   ///< the head, then FIN
  reset_mid_stream,   ///< RST after `after` events; a sized answer: after half of its body
  close_mid_stream,   ///< FIN after `after` events, without the final chunk
  stall,              ///< silent for ever after `after` events; the connection stays open
  status,             ///< answered with `status` (500, 503, 429) instead of being served
  slow_head,          ///< the head comes `delay` late
  hang,               ///< never answered; the connection stays open
  refuse,             ///< this connection is reset, and the engine does not listen for `delay`
  // These are states of the engine, until they are cleared.
  health_down,  ///< /health answers 503
  sleeping      ///< requests wait until the engine is woken
};

struct Fault {
  FaultKind kind = FaultKind::none;
  std::uint32_t count = 1;  ///< how many requests it hits; for health_down how many probes (0: until cleared)
  std::uint32_t after = 1;  ///< events sent before it strikes
  int status = 500;
  std::optional<std::uint32_t> retry_after;  ///< seconds, sent as Retry-After
  std::chrono::milliseconds delay{1000};
};

/// True for the kinds that are a state of the engine and hit no single request.
bool is_state(FaultKind kind) noexcept;

/// Reads `kind[;key=value]...`, the text of the `x-sim-fault` header: kinds as in the enum with hyphens, or `500`,
/// `503`, `429`; keys `count`, `after`, `ms`, `retry_after`. Errors: bad_request naming what is not known.
Result<Fault> parse_fault(std::string_view text);

/// The faults that wait for their requests, in the order in which they were set. Not thread-safe.
class FaultQueue {
 public:
  void push(Fault const& fault);  ///< count 0 is dropped
  /// The fault of the next request: kind none when none waits.
  Fault take();
  void clear() noexcept { waiting_.clear(); }

 private:
  std::deque<Fault> waiting_;
};

}  // namespace kvgate::sim
