// What the machine allows: descriptors, memory, threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "config/config.hpp"

namespace kvgate::server {

/// Raises RLIMIT_NOFILE's soft limit to the hard one; returns the limit that holds now.
std::size_t raise_descriptor_limit() noexcept;

/// limits.memory, or half of the cgroup's limit, or half of the machine's memory. Bytes.
std::uint64_t memory_limit(config::Limits const& limits);

/// server.workers, or what affinity and cgroup allow.
unsigned worker_count(config::Server const& server);

/// limits.connections, or what the descriptors allow when every client connection may need an engine connection.
std::size_t connection_limit(config::Limits const& limits, std::size_t descriptors) noexcept;

}  // namespace kvgate::server
