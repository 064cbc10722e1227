#include "server/limits.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace kvgate::server {
namespace {

TEST(Limits, DescriptorsGoUpToTheHardLimit) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit lowered = before;
  lowered.rlim_cur = std::min<rlim_t>(before.rlim_cur, 100);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &lowered), 0);
  EXPECT_EQ(raise_descriptor_limit(), before.rlim_max);
  rlimit after{};
  getrlimit(RLIMIT_NOFILE, &after);
  EXPECT_EQ(after.rlim_cur, before.rlim_max);
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST(Limits, MemoryIsAsConfiguredOrHalfOfWhatThereIs) {
  config::Limits limits;
  limits.memory = 12345;
  EXPECT_EQ(memory_limit(limits), 12345u);
  limits.memory = 0;
  auto const of = [](int name) { return static_cast<std::uint64_t>(sysconf(name)); };
  auto const machine = of(_SC_PHYS_PAGES) * of(_SC_PAGESIZE);
  EXPECT_GT(memory_limit(limits), 0u);
  EXPECT_LE(memory_limit(limits), machine / 2);
}

TEST(Limits, WorkersAreAsConfiguredOrOnePerUsableCpu) {
  config::Server server;
  server.workers = 7;
  EXPECT_EQ(worker_count(server), 7u);
  server.workers = 0;
  EXPECT_GE(worker_count(server), 1u);
  EXPECT_LE(worker_count(server), static_cast<unsigned>(sysconf(_SC_NPROCESSORS_CONF)));
}

struct Connections {
  std::uint32_t configured;
  std::size_t descriptors, expected;
};

TEST(Limits, EveryClientMayNeedAnEngineConnection) {
  Connections const cases[] = {
      {5, 1024, 5}, {100'000, 1024, 100'000}, {0, 1024, 480}, {0, 1'048'576, 524'256},
      {0, 64, 16}, {0, 0, 16},    {0, 97, 16},
  };
  for (auto const& c : cases) {
    config::Limits limits;
    limits.connections = c.configured;
    EXPECT_EQ(connection_limit(limits, c.descriptors), c.expected) << c.descriptors;
  }
}

}  // namespace
}  // namespace kvgate::server
