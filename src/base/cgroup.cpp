#include "base/cgroup.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

namespace kvgate {
namespace {

namespace fs = std::filesystem;

// v1 says "no limit" with the largest multiple of the page size; nobody has an exbibyte.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60;

/// A group directory with those of its parents, innermost first. Inside a container the path that /proc names may not
/// exist, since the container's own group is mounted at the top: the walk ends there all the same.
std::vector<fs::path> with_parents(fs::path const& mount, std::string const& group) {
  std::vector<fs::path> directories;
  fs::path at = fs::path(group).relative_path().lexically_normal();
  for (; !at.empty() && at != "."; at = at.parent_path()) directories.push_back(mount / at);
  directories.push_back(mount);
  return directories;
}

bool lists(std::string_view controllers, std::string_view name) {
  std::stringstream stream{std::string(controllers)};
  for (std::string one; std::getline(stream, one, ',');) {
    if (one == name) return true;
  }
  return false;
}

/// The directories whose limits apply, for a v1 controller or (empty name) for v2.
std::vector<fs::path> group_directories(std::string const& root, std::string const& controller) {
  std::ifstream file(root + "/proc/self/cgroup");
  fs::path const mounts = root + "/sys/fs/cgroup";
  for (std::string line; std::getline(file, line);) {  // hierarchy-id:controllers:path
    auto const first = line.find(':');
    auto const second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    auto const controllers = line.substr(first + 1, second - first - 1);
    auto const group = line.substr(second + 1);
    if (controller.empty() && controllers.empty()) return with_parents(mounts, group);
    if (controller.empty() || !lists(controllers, controller)) continue;
    // Controllers that share a hierarchy share a mount; links by their single names are usual but not certain.
    auto const shared = mounts / controllers;
    return with_parents(fs::exists(shared) ? shared : mounts / controller, group);
  }
  return {};
}

template <class T>
std::optional<T> read_number(fs::path const& path) {
  std::ifstream file(path);
  T number{};
  return file >> number ? std::optional<T>(number) : std::nullopt;
}

template <class T>
void keep_least(std::optional<T>& least, std::optional<T> value) {
  if (value && (!least || *value < *least)) least = value;
}

std::optional<double> quota_v2(fs::path const& directory) {
  std::ifstream file(directory / "cpu.max");  // "max 100000" or "150000 100000"
  double quota = 0, period = 0;
  return file >> quota >> period && quota > 0 && period > 0 ? std::optional(quota / period) : std::nullopt;
}

std::optional<double> quota_v1(fs::path const& directory) {
  auto const quota = read_number<double>(directory / "cpu.cfs_quota_us");
  auto const period = read_number<double>(directory / "cpu.cfs_period_us");
  return quota && period && *quota > 0 && *period > 0 ? std::optional(*quota / *period) : std::nullopt;
}

unsigned affinity_count() {
  // Machines with more processors than cpu_set_t holds make the call fail until the set is large enough.
  for (int size = CPU_SETSIZE; size <= (1 << 20); size *= 2) {
    auto const free_set = [](cpu_set_t* set) { CPU_FREE(set); };
    std::unique_ptr<cpu_set_t, decltype(free_set)> set(CPU_ALLOC(size), free_set);
    auto const bytes = CPU_ALLOC_SIZE(size);
    if (set && sched_getaffinity(0, bytes, set.get()) == 0) return CPU_COUNT_S(bytes, set.get());
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

std::optional<std::uint64_t> cgroup_memory_limit(std::string const& root) {
  std::optional<std::uint64_t> least;
  for (auto const& directory : group_directories(root, "")) {
    keep_least(least, read_number<std::uint64_t>(directory / "memory.max"));
  }
  for (auto const& directory : group_directories(root, "memory")) {
    keep_least(least, read_number<std::uint64_t>(directory / "memory.limit_in_bytes"));
  }
  return least && *least < kNoLimit ? least : std::nullopt;
}

std::optional<double> cgroup_cpu_limit(std::string const& root) {
  std::optional<double> least;
  for (auto const& directory : group_directories(root, "")) keep_least(least, quota_v2(directory));
  for (auto const& directory : group_directories(root, "cpu")) keep_least(least, quota_v1(directory));
  return least;
}

unsigned usable_cpus(std::string const& root) {
  auto const affinity = affinity_count();
  auto const limit = cgroup_cpu_limit(root);
  if (!limit || *limit >= affinity) return affinity;
  return std::max(1u, static_cast<unsigned>(std::ceil(*limit)));
}

}  // namespace kvgate
