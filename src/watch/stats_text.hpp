// Reads an engine's own metrics: the few series that the gate needs, out of the thousand that it sends.
#pragma once

#include <optional>
#include <string_view>

#include "fleet/engine_stats.hpp"

namespace kvgate::watch {

inline constexpr std::size_t kMaxAdapters = 256;  ///< of each list, at most; vLLM's slots are a few dozen

/// Prometheus' text format or OpenMetrics, current and older names of vLLM. Lines that are not understood, and samples
/// that are NaN, infinite or negative, are passed over. nullopt: not one of running, waiting and KV usage is in it.
/// `taken` is left to the caller. Pure.
std::optional<fleet::EngineStats> parse_engine_stats(std::string_view text);

}  // namespace kvgate::watch
