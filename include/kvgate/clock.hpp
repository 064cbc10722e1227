// Time as the gate uses it. Decisions take time as an argument and read no clock; the relay does.
#pragma once

#include <chrono>

namespace kvgate {

using Clock = std::chrono::steady_clock;        ///< deadlines, ages, latencies
using WallClock = std::chrono::system_clock;    ///< log lines only

}  // namespace kvgate
