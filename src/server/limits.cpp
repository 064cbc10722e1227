#include "server/limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "base/cgroup.hpp"

namespace kvgate::server {

std::size_t raise_descriptor_limit() noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<std::size_t>(limit.rlim_cur);
}

std::uint64_t memory_limit(config::Limits const& limits) {
  if (limits.memory) return limits.memory;
  auto const machine = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return cgroup_memory_limit().value_or(machine) / 2;
}

unsigned worker_count(config::Server const& server) { return server.workers ? server.workers : usable_cpus(); }

std::size_t connection_limit(config::Limits const& limits, std::size_t descriptors) noexcept {
  constexpr std::size_t kOwn = 64;   // listeners, logs, probes, epoll
  if (limits.connections) return limits.connections;
  return std::max<std::size_t>(16, (descriptors - std::min(descriptors, kOwn)) / 2);
}

}  // namespace kvgate::server
