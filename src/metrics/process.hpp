// What the kernel says about this process.
#pragma once

#include <cstdint>

namespace kvgate::metrics {

struct ProcessFacts {
  double cpu_seconds = 0;  ///< user and system
  std::uint64_t resident_bytes = 0;
  std::uint64_t open_fds = 0;
  std::uint64_t max_fds = 0;  ///< soft RLIMIT_NOFILE
};

/// Thread-safe; what cannot be read (no /proc) is 0.
ProcessFacts read_process();

}  // namespace kvgate::metrics
