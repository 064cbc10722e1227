#include "watch/stats_text.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

namespace kvgate::watch {
namespace {

using fleet::EngineGauges;
using testing::ElementsAre;
using testing::IsEmpty;

/// A recording of a real engine; empty when recordings are not there.
std::string recorded(std::string const& name) {
  std::ifstream file(std::string(KVGATE_SOURCE_DIR) + "/../shared/data/" + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(StatsText, ARecordedEngine) {
  auto const text = recorded("vllm-metrics.txt");
  if (text.empty()) GTEST_SKIP() << "no recordings";
  auto const stats = parse_engine_stats(text);
  ASSERT_TRUE(stats);
  auto const& told = stats->gauges;
  EXPECT_EQ(told.running, 0u);
  EXPECT_EQ(told.waiting, 0u);
  EXPECT_EQ(told.kv_usage, 0.f);
  EXPECT_EQ(told.kv_blocks, 24u);
  EXPECT_EQ(told.block_size_tokens, 32u);
  EXPECT_EQ(told.prefix_queries, 3098);
  EXPECT_EQ(told.prefix_hits, 800);
  EXPECT_EQ(told.started, 1796038681.61);
  EXPECT_TRUE(told.sleeping);
  EXPECT_EQ(stats->adapters.max, 0u);
}

TEST(StatsText, ARecordedEngineOfTwoRanksTellsTheBlocksOfBoth) {
  auto const text = recorded("vllm-metrics-dp2.txt");
  if (text.empty()) GTEST_SKIP() << "no recordings";
  auto const stats = parse_engine_stats(text);
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->gauges.kv_blocks, 48u);
  EXPECT_EQ(stats->gauges.block_size_tokens, 32u);
  EXPECT_FALSE(stats->gauges.sleeping);
}

struct Case {
  char const* name;
  char const* text;
  EngineGauges told;
};

void expect_same(EngineGauges const& a, EngineGauges const& b) {
  EXPECT_EQ(a.running, b.running);
  EXPECT_EQ(a.waiting, b.waiting);
  EXPECT_EQ(a.kv_usage, b.kv_usage);
  EXPECT_EQ(a.kv_blocks, b.kv_blocks);
  EXPECT_EQ(a.block_size_tokens, b.block_size_tokens);
  EXPECT_EQ(a.prefix_queries, b.prefix_queries);
  EXPECT_EQ(a.prefix_hits, b.prefix_hits);
  EXPECT_EQ(a.started, b.started);
  EXPECT_EQ(a.sleeping, b.sleeping);
}

TEST(StatsText, WhatIsReadOfIt) {
  Case const cases[] = {
      {"ranks and models are added up, usage is their mean",
       "vllm:num_requests_running{engine=\"0\",model_name=\"m\"} 3.0\n"
       "vllm:num_requests_running{engine=\"1\",model_name=\"m\"} 4.0\n"
       "vllm:num_requests_waiting{engine=\"0\",model_name=\"m\"} 1\n"
       "vllm:num_requests_waiting{engine=\"0\",model_name=\"n\"} 1\n"
       "vllm:kv_cache_usage_perc{engine=\"0\"} 0.25\nvllm:kv_cache_usage_perc{engine=\"1\"} 0.75\n",
       {.running = 7, .waiting = 2, .kv_usage = .5f}},
      {"older names",
       "vllm:gpu_cache_usage_perc 0.5\nvllm:gpu_prefix_cache_queries_total 10\nvllm:gpu_prefix_cache_hits 4\n",
       {.kv_usage = .5f, .prefix_queries = 10, .prefix_hits = 4}},
      {"both names at once",
       "vllm:gpu_cache_usage_perc 0.1\nvllm:kv_cache_usage_perc 0.5\n"
       "vllm:gpu_prefix_cache_hits_total 4\nvllm:prefix_cache_hits_total 4\n",
       {.kv_usage = .5f, .prefix_hits = 4}},
      {"exponents, signs, time stamps and exemplars",
       "vllm:num_requests_running 1.2e+1 1796038681000\nvllm:num_requests_waiting\t+2\n"
       "vllm:prefix_cache_queries_total{a=\"b\"} 5.0 # {trace_id=\"x\"} 0.5 1.0\n"
       "process_start_time_seconds 1.79603868161e+09\n# EOF\n",
       {.running = 12, .waiting = 2, .prefix_queries = 5, .started = 1796038681.61}},
      {"a rank without a number is left out",
       "vllm:num_requests_running{engine=\"0\"} NaN\nvllm:num_requests_running{engine=\"1\"} 2\n"
       "vllm:num_requests_running{engine=\"2\"} +Inf\nvllm:num_requests_running{engine=\"3\"} -1\n"
       "vllm:num_requests_waiting NaN\n",
       {.running = 2}},
      {"lines that end in other ways",
       "vllm:num_requests_running 1\r\nvllm:num_requests_waiting 2",
       {.running = 1, .waiting = 2}},
      {"braces, quotes and commas in label values",
       "vllm:num_requests_running{model_name=\"a}\\\"},b\",engine=\"0\"} 6\n",
       {.running = 6}},
      {"broken lines",
       "vllm:num_requests_running\nvllm:num_requests_running{engine=\"0\nvllm:num_requests_running{engine=\"0\"}\n"
       "vllm:num_requests_running 3x\nvllm:num_requests_running{} 5\nvllm:\n\n{} 1\n",
       {.running = 5}},
      {"too large for a number of requests", "vllm:num_requests_running 1e300\n", {.running = 4294967295u}},
      {"usage is at most one", "vllm:kv_cache_usage_perc 1.0001\n", {.kv_usage = 1.f}},
      {"names that only begin alike",
       "vllm:num_requests_running 1\nvllm:num_requests_waiting_by_reason{reason=\"capacity\"} 9\n"
       "vllm:num_requests_running_bucket 9\nprocess_start_time_seconds_created 9\nxvllm:num_requests_running 9\n",
       {.running = 1}},
      {"blocks",
       "vllm:num_requests_running 0\n"
       "vllm:cache_config_info{hash_block_size=\"8\",block_size=\"16\",num_cpu_blocks=\"None\",num_gpu_blocks=\"2048\"}"
       " 1.0\n",
       {.running = 0, .kv_blocks = 2048, .block_size_tokens = 16}},
      {"blocks that are not decided yet",
       "vllm:num_requests_running 0\nvllm:cache_config_info{block_size=\"None\",num_gpu_blocks=\"None\"} 1.0\n",
       {.running = 0}},
      {"one rank sleeps",
       "vllm:num_requests_running 0\n"
       "vllm:engine_sleep_state{engine=\"0\",sleep_state=\"awake\"} 1.0\n"
       "vllm:engine_sleep_state{engine=\"1\",sleep_state=\"awake\"} 0.0\n"
       "vllm:engine_sleep_state{engine=\"1\",sleep_state=\"discard_all\"} 1.0\n",
       {.running = 0, .sleeping = true}},
  };
  for (auto const& c : cases) {
    SCOPED_TRACE(c.name);
    auto const stats = parse_engine_stats(c.text);
    ASSERT_TRUE(stats);
    expect_same(stats->gauges, c.told);
  }
}

TEST(StatsText, AnotherKindOfEngineIsNotAnIdleOne) {
  for (auto const* text :
       {"", "\n\n", "not metrics", "{\"error\":\"x\"}", "sglang:num_running_reqs 9\nsglang:token_usage 0.1\n",
        "process_start_time_seconds 1.7e9\npython_info 1\n", "vllm:num_requests_running NaN\n",
        "vllm:prefix_cache_hits_total 5\n"}) {
    EXPECT_FALSE(parse_engine_stats(text)) << text;
  }
}

TEST(StatsText, TheNewestStateOfAdaptersCounts) {
  auto const stats = parse_engine_stats(
      "vllm:num_requests_running 1\n"
      "vllm:lora_requests_info{max_lora=\"4\",running_lora_adapters=\"old\",waiting_lora_adapters=\"\"} 1.7e+09\n"
      "vllm:lora_requests_info{max_lora=\"2\",running_lora_adapters=\"a, b\\\"c,a\",waiting_lora_adapters=\"d,a\"} "
      "1.8e+09\n"
      "vllm:lora_requests_info{max_lora=\"4\",running_lora_adapters=\"older\",waiting_lora_adapters=\"\"} 1.6e+09\n");
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->adapters.max, 2u);
  EXPECT_THAT(stats->adapters.running, ElementsAre("a", "b\"c"));
  EXPECT_THAT(stats->adapters.waiting, ElementsAre("d"));
}

TEST(StatsText, AnIdleAdapterStateHasEmptyLists) {
  auto const stats = parse_engine_stats(
      "vllm:num_requests_running 0\n"
      "vllm:lora_requests_info{max_lora=\"1\",running_lora_adapters=\"\",waiting_lora_adapters=\"\"} 1\n");
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->adapters.max, 1u);
  EXPECT_THAT(stats->adapters.running, IsEmpty());
}

TEST(StatsText, ListsOfAdaptersAreBounded) {
  std::string names;
  for (int i = 0; i < 5000; ++i) names += "adapter-" + std::to_string(i) + ",";
  auto const stats = parse_engine_stats(
      "vllm:num_requests_running 0\nvllm:lora_requests_info{max_lora=\"9\",running_lora_adapters=\"" + names +
      "\"} 1\n");
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->adapters.running.size(), kMaxAdapters);
}

}  // namespace
}  // namespace kvgate::watch
