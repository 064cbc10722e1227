// Facts about candidates that have to be gathered before a decision.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "kvgate/clock.hpp"

namespace kvgate {

/// The first kSignalCount have a column of Facts each; lora fills Candidate::adapter.
enum class Signal : std::uint8_t { text_prefix, exact_kv, remote_kv, lora };
inline constexpr std::size_t kSignalCount = 3;

/// A set of signals: what a policy or filter needs, what has been gathered.
class Signals {
 public:
  constexpr Signals() = default;
  constexpr Signals& add(Signal s) { bits_ |= 1u << static_cast<unsigned>(s); return *this; }
  constexpr bool has(Signal s) const { return bits_ & (1u << static_cast<unsigned>(s)); }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr Signals operator|(Signals other) const { Signals r; r.bits_ = bits_ | other.bits_; return r; }

 private:
  std::uint32_t bits_ = 0;
};

/// The longest prefix of the prompt that an engine is known to hold, in tokens, by tier, and how old that knowledge is.
struct Fact {
  std::uint32_t gpu_tokens = 0;
  std::uint32_t cpu_tokens = 0;
  std::uint32_t disk_tokens = 0;
  Clock::duration age{0};
};

}  // namespace kvgate
