#include "base/cgroup.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace kvgate {
namespace {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;

/// A file system root that is gone with the test.
class Root {
 public:
  explicit Root(Files const& files) {
    std::string pattern = fs::temp_directory_path() / "kvgate-cgroup-XXXXXX";
    path_ = mkdtemp(pattern.data());
    for (auto const& [name, content] : files) {
      fs::path const file = path_ + name;
      fs::create_directories(file.parent_path());
      std::ofstream(file) << content << "\n";
    }
  }
  ~Root() { fs::remove_all(path_); }
  std::string const& path() const { return path_; }

 private:
  std::string path_;
};

struct MemoryCase {
  char const* name;
  Files files;
  std::optional<std::uint64_t> limit;
};

TEST(CgroupMemory, TakesTheTightestLimitThatApplies) {
  MemoryCase const cases[] = {
      {"nothing mounted", {}, std::nullopt},
      {"v2 own group", {{"/proc/self/cgroup", "0::/app"}, {"/sys/fs/cgroup/app/memory.max", "1000"}}, 1000},
      {"v2 without limit", {{"/proc/self/cgroup", "0::/app"}, {"/sys/fs/cgroup/app/memory.max", "max"}}, std::nullopt},
      {"v2 parent is tighter",
       {{"/proc/self/cgroup", "0::/pod/app"},
        {"/sys/fs/cgroup/pod/memory.max", "500"},
        {"/sys/fs/cgroup/pod/app/memory.max", "1000"}},
       500},
      {"v2 parent has no limit",
       {{"/proc/self/cgroup", "0::/pod/app"},
        {"/sys/fs/cgroup/pod/memory.max", "max"},
        {"/sys/fs/cgroup/pod/app/memory.max", "1000"}},
       1000},
      {"v2 in a container", {{"/proc/self/cgroup", "0::/"}, {"/sys/fs/cgroup/memory.max", "2000"}}, 2000},
      {"v1",
       {{"/proc/self/cgroup", "4:memory:/app\n0::/"}, {"/sys/fs/cgroup/memory/app/memory.limit_in_bytes", "3000"}},
       3000},
      {"v1 path of the host, seen in a container",
       {{"/proc/self/cgroup", "4:memory:/docker/abc"}, {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "4000"}},
       4000},
      {"v1 says no limit",
       {{"/proc/self/cgroup", "4:memory:/"}, {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712"}},
       std::nullopt},
      {"another controller's limit",
       {{"/proc/self/cgroup", "4:pids:/"}, {"/sys/fs/cgroup/pids/pids.max", "7"}},
       std::nullopt},
      {"broken lines", {{"/proc/self/cgroup", "::\nnonsense\n\n4:memory"}}, std::nullopt},
  };
  for (auto const& c : cases) {
    Root const root(c.files);
    EXPECT_EQ(cgroup_memory_limit(root.path()), c.limit) << c.name;
  }
}

struct CpuCase {
  char const* name;
  Files files;
  std::optional<double> limit;
};

TEST(CgroupCpu, TakesTheTightestQuotaThatApplies) {
  CpuCase const cases[] = {
      {"nothing mounted", {}, std::nullopt},
      {"v2", {{"/proc/self/cgroup", "0::/app"}, {"/sys/fs/cgroup/app/cpu.max", "150000 100000"}}, 1.5},
      {"v2 without limit",
       {{"/proc/self/cgroup", "0::/app"}, {"/sys/fs/cgroup/app/cpu.max", "max 100000"}},
       std::nullopt},
      {"v2 parent is tighter",
       {{"/proc/self/cgroup", "0::/pod/app"},
        {"/sys/fs/cgroup/pod/cpu.max", "50000 100000"},
        {"/sys/fs/cgroup/pod/app/cpu.max", "200000 100000"}},
       0.5},
      {"v1 with shared hierarchy",
       {{"/proc/self/cgroup", "3:cpu,cpuacct:/app"},
        {"/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "250000"},
        {"/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us", "100000"}},
       2.5},
      {"v1 mounted by its single name",
       {{"/proc/self/cgroup", "3:cpu,cpuacct:/"},
        {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000"},
        {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000"}},
       0.5},
      {"v1 without limit",
       {{"/proc/self/cgroup", "3:cpu:/"},
        {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1"},
        {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000"}},
       std::nullopt},
  };
  for (auto const& c : cases) {
    Root const root(c.files);
    EXPECT_EQ(cgroup_cpu_limit(root.path()), c.limit) << c.name;
  }
}

TEST(UsableCpus, IsTheAffinityMaskOrTheQuotaRoundedUp) {
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  unsigned const affinity = CPU_COUNT(&mask);
  auto const with_quota = [](std::string const& quota) {
    Root const root({{"/proc/self/cgroup", "0::/"}, {"/sys/fs/cgroup/cpu.max", quota + " 100000"}});
    return usable_cpus(root.path());
  };
  EXPECT_EQ(with_quota("max"), affinity);
  EXPECT_EQ(with_quota("1000"), 1u);
  EXPECT_EQ(with_quota("110000"), std::min(2u, affinity));
  EXPECT_EQ(with_quota("100000000"), affinity);
}

}  // namespace
}  // namespace kvgate
