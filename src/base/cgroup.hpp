// What the process may use of the machine: the limits of its control group (v1 or v2, parents included) and its
// affinity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kvgate {

// `root` is put before /proc and /sys; empty: the real ones. What cannot be read limits nothing.

/// Bytes; nullopt: no limit.
std::optional<std::uint64_t> cgroup_memory_limit(std::string const& root = {});

/// Processors' worth of time, such as 1.5; nullopt: no limit.
std::optional<double> cgroup_cpu_limit(std::string const& root = {});

/// Threads that can really run at once: the affinity mask or the cgroup's limit rounded up, whichever is less; at
/// least 1.
unsigned usable_cpus(std::string const& root = {});

}  // namespace kvgate
