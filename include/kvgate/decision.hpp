// What a decision was and how it ended. Both own what learning, logs and retries need after the request body is gone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kvgate/clock.hpp"
#include "kvgate/reason.hpp"
#include "prefix/belief.hpp"

namespace kvgate::fleet {
class Endpoint;
struct ServedModel;
}

namespace kvgate::routing {
struct Plan;
}

namespace kvgate {

struct Decision {
  std::shared_ptr<fleet::Endpoint> endpoint;             ///< null: nobody can take it; then `why` says which filter refused
  std::shared_ptr<fleet::ServedModel const> served;
  std::string_view policy;                               ///< who decided (static storage); when refused: the filter
  Reason why;
  routing::Plan const* plan = nullptr;                   ///< the chains that decided
  std::uint64_t prompt_tokens = 0;                       ///< estimated
  std::uint64_t cached_tokens = 0;                       ///< of these, believed to be cached at the chosen engine
  std::span<std::uint64_t const> blocks;                 ///< of the prompt, owned by the exchange; empty: not hashed
  std::uint64_t text_bytes = 0;                          ///< that they were cut from
  prefix::Belief belief;                                 ///< what the gate believes since
  std::uint64_t last_pick = 0;                           ///< of the chosen, as read: reserve() compares

  std::uint64_t tokens_to_compute() const noexcept { return prompt_tokens - cached_tokens; }
};

struct Outcome {
  int status = 0;                                        ///< 0: no response
  std::optional<Clock::duration> first_byte;             ///< from sending the request to the first body byte
  Clock::duration prefill{0};                            ///< what its prefill took alone (fleet::Lease); 0: cannot be told
  std::optional<std::uint64_t> prompt_tokens, cached_tokens, completion_tokens;   ///< from usage
  bool lost = false;                                     ///< the engine went away
  bool aborted = false;                                  ///< the client left
};

}  // namespace kvgate
