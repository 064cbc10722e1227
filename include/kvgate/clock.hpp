// Time as the gate uses it. Decisions take time as an argument; nothing below server/ reads a clock by itself.
#pragma once

#include <chrono>

namespace kvgate {

using Clock = std::chrono::steady_clock;        ///< deadlines, ages, latencies
using WallClock = std::chrono::system_clock;    ///< log lines only

}  // namespace kvgate
