// One endpoint as one decision sees it: facts frozen when the candidates were read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kvgate/clock.hpp"
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
  std::uint64_t prefill_tokens = 0;      ///< prompt tokens to compute, routed, whose first body byte is still awaited
  std::uint64_t prefill_queued = 0;      ///< of these, what stands behind others for sure
  Clock::time_point prefill_until{};     ///< when the engine will have computed them at the speed it is known for; past: now
};

/// What the engine said of its whole load, whoever sent it. It is some seconds old: `age`.
struct Reported {
  std::uint32_t running = 0;             ///< requests in execution
  std::uint32_t waiting = 0;             ///< requests queued in the engine
  float kv_usage = 0;                    ///< 0 to 1; NaN: it did not say
  bool sleeping = false;
  Clock::duration age{0};
};

/// Where an engine stands with one LoRA adapter. room: it holds (or is about to load) fewer than it has slots for.
enum class Adapter : std::uint8_t { not_known, loaded, room, full };

}  // namespace kvgate::fleet

namespace kvgate {

struct Candidate {
  fleet::Endpoint const* endpoint = nullptr;
  fleet::ServedModel const* served = nullptr;   ///< the request's model on this endpoint; null: it does not serve it
  fleet::Health health = fleet::Health::unknown;
  fleet::Load load;
  std::optional<fleet::Reported> reported;      ///< nullopt: not said, or too long ago: unknown, never idle
  fleet::Adapter adapter = fleet::Adapter::not_known;   ///< of the request's model; told when Signal::lora is asked
  double prefill_speed = 0;                     ///< tokens per second, learned; 0: not known
  double prefill_left = 0;                      ///< of load.prefill_tokens, what is not computed yet, estimated
  std::optional<std::uint64_t> cache_room;      ///< tokens that it can cache before it evicts; nullopt: not known
  double cache_fill = 0;                        ///< share of its cache in use, 0 to 1; 0 when its size is not known
  std::uint64_t last_pick = 0;                  ///< when it was last picked for this model: a fleet-wide sequence number
  std::array<std::optional<Fact>, kSignalCount> facts;   ///< nullopt: not asked, or nobody could tell

  /// Of the prompt, those believed to be cached here by the text that was routed; 0 also when nobody could tell.
  std::uint32_t cached_tokens() const noexcept {
    auto const& fact = facts[static_cast<std::size_t>(Signal::text_prefix)];
    return fact ? fact->gpu_tokens : 0;
  }
};

}  // namespace kvgate
