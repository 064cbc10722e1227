// One endpoint as one decision sees it: facts frozen when the candidates were read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kvgate/signals.hpp"

namespace kvgate::fleet {
class Endpoint;
struct ServedModel;

/// unknown: not probed yet (usable). suspect: a connect was refused; out until the next good probe. down: declared by health
/// checks; what still waits for it moves on.
enum class Health : std::uint8_t { unknown, up, suspect, down };

/// The gate's own view of the work it has given to an endpoint.
struct Load {
  std::uint32_t in_flight = 0;           ///< requests sent and not finished
  std::uint64_t prefill_tokens = 0;      ///< prompt tokens routed whose first body byte is still awaited
};

}  // namespace kvgate::fleet

namespace kvgate {

struct Candidate {
  fleet::Endpoint const* endpoint = nullptr;
  fleet::ServedModel const* served = nullptr;   ///< the request's model on this endpoint; null: it does not serve it
  fleet::Health health = fleet::Health::unknown;
  fleet::Load load;
  std::uint64_t last_pick = 0;                  ///< when it was last picked for this model: a fleet-wide sequence number
  std::array<std::optional<Fact>, kSignalCount> facts;   ///< nullopt: not asked, or nobody could tell
};

}  // namespace kvgate
