// What an engine counts for its tests, as GET /sim/stats and SimEngine::stats() tell it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace kvgate::sim {

struct SimStats {
  std::uint64_t requests = 0;                  ///< on inference paths, whatever became of them
  std::uint64_t finished = 0;                  ///< of these: answered completely with 200
  std::uint64_t aborted = 0;                   ///< the client left before the end of the answer
  std::uint64_t faults = 0;                    ///< requests that a fault has hit
  std::uint64_t running = 0;                   ///< now in prefill or decode
  std::uint64_t waiting = 0;                   ///< now waiting for prefill
  std::uint64_t connections = 0;               ///< open now
  std::uint64_t accepted = 0;                  ///< connections since the start or the last reset
  std::map<std::string, std::uint64_t> paths;  ///< requests by route, of every kind
};

}  // namespace kvgate::sim
