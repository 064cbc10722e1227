// What engines are believed to have cached: lookups and touches with a million blocks in the index.
//
// Arguments: engines, blocks of the prompt. Every iteration takes another prompt, so that its entries are rarely in the
// core's own cache. Two threads work on the same engines with prompts of their own.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <array>
#include <memory>
#include <random>
#include <vector>

#include "prefix/cached_blocks.hpp"

namespace {

using namespace kvgate::prefix;

constexpr std::uint64_t million = 1'000'000;
/// Of each thread. So few that the random depths of them do not make the index much larger than a million.
std::size_t prompts_per_thread(std::int64_t engines, std::int64_t blocks) {
  return static_cast<std::size_t>(std::max<std::int64_t>(400'000 / (engines * blocks / 2) / 2, 1));
}

std::vector<BlockHash> prompt_of(std::uint64_t seed, std::size_t blocks) {
  std::mt19937_64 random(seed);
  std::vector<BlockHash> prompt(blocks);
  for (auto& block : prompt) block = random();
  return prompt;
}

/// Engines that hold a million blocks together, among them random depths of some prompts.
struct Index {
  std::vector<std::unique_ptr<CachedBlocks>> engines;
  std::vector<CachedBlocks const*> views;
  std::vector<std::vector<BlockHash>> prompts;

  Index(std::size_t count, std::size_t blocks) {
    auto const budget = std::make_shared<Budget>(std::uint64_t{1} << 30);
    for (std::size_t i = 0; i < count; ++i)
      views.push_back(engines.emplace_back(std::make_unique<CachedBlocks>(budget)).get());
    std::mt19937_64 random(1);
    for (auto i = 2 * prompts_per_thread(static_cast<std::int64_t>(count), static_cast<std::int64_t>(blocks)); i > 0;
         --i) {
      prompts.push_back(prompt_of(random(), blocks));
      for (auto& engine : engines) engine->touch(std::span(prompts.back()).first(random() % (blocks + 1)));
    }
    for (auto& engine : engines) {
      while (engine->stats().live_blocks < million / count) engine->touch(prompt_of(random(), 64));
    }
  }
};

Index& index_of(benchmark::State const& state) {
  static std::vector<std::pair<std::array<std::int64_t, 2>, std::unique_ptr<Index>>> indexes;
  std::array const key{state.range(0), state.range(1)};
  for (auto& [known, index] : indexes) {
    if (known == key) return *index;
  }
  indexes.clear();
  auto fresh = std::make_unique<Index>(static_cast<std::size_t>(key[0]), static_cast<std::size_t>(key[1]));
  return *indexes.emplace_back(key, std::move(fresh)).second;
}

/// Calls `work` with a thread's prompts in turn. The index is built by one thread before any thread is timed.
template <class Work>
void for_prompts(benchmark::State& state, Work work) {
  static Index* index = nullptr;
  if (state.thread_index() == 0) index = &index_of(state);
  auto const count = prompts_per_thread(state.range(0), state.range(1));
  auto const first = static_cast<std::size_t>(state.thread_index()) * count;
  std::size_t turn = 0;
  std::vector<BlockHash> prompt;
  for (auto _ : state) {
    ++turn;
    prompt = index->prompts[first + turn % count];  // a copy: it comes fresh from hashing
    work(*index, prompt, turn);
  }
}

void lookup(benchmark::State& state) {
  std::vector<std::uint32_t> out(static_cast<std::size_t>(state.range(0)));
  for_prompts(state, [&](Index& index, auto const& prompt, std::size_t) {
    CachedBlocks::longest_prefixes(index.views, prompt, out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  });
}

void touch(benchmark::State& state) {
  for_prompts(state, [&](Index& index, auto const& prompt, std::size_t turn) {
    benchmark::DoNotOptimize(index.engines[turn * 7 % index.engines.size()]->touch(prompt));
  });
}

/// The same prompt to the same engine again, as in a chat.
void retouch(benchmark::State& state) {
  for_prompts(state, [&](Index& index, auto const&, std::size_t) {
    auto const own = static_cast<std::size_t>(state.thread_index());
    benchmark::DoNotOptimize(index.engines[own]->touch(index.prompts[own]));
  });
}

/// A routing decision: look at all, touch one.
void route(benchmark::State& state) {
  std::vector<std::uint32_t> out(static_cast<std::size_t>(state.range(0)));
  for_prompts(state, [&](Index& index, auto const& prompt, std::size_t turn) {
    CachedBlocks::longest_prefixes(index.views, prompt, out);
    benchmark::DoNotOptimize(index.engines[(turn * 7 + out[0]) % index.engines.size()]->touch(prompt));
  });
}

void shapes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"engines", "blocks"})->Args({8, 64})->Args({8, 512})->Args({64, 2048})->Threads(1)->Threads(2);
}
BENCHMARK(lookup)->Apply(shapes);
BENCHMARK(touch)->Apply(shapes);
BENCHMARK(retouch)->Apply(shapes);
BENCHMARK(route)->Apply(shapes);

/// A million blocks, each held by so many engines; bytes per block as accounted and as the allocator sees it.
void memory(benchmark::State& state) {
  auto const holders = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    auto const before = mallinfo2();
    auto const budget = std::make_shared<Budget>(std::uint64_t{1} << 34);
    std::vector<std::unique_ptr<CachedBlocks>> engines;
    for (std::size_t i = 0; i < holders; ++i) engines.push_back(std::make_unique<CachedBlocks>(budget));
    for (std::uint64_t i = 0; i < million / 64; ++i) {
      auto const prompt = prompt_of(i, 64);
      for (auto& engine : engines) engine->touch(prompt);
    }
    auto const after = mallinfo2();
    std::uint64_t accounted = 0;
    for (auto& engine : engines) accounted += engine->stats().bytes;
    state.counters["bytes_per_block"] = static_cast<double>(accounted) / million;
    state.counters["heap_per_block"] =
        static_cast<double>((after.uordblks + after.hblkhd) - (before.uordblks + before.hblkhd)) / million;
    state.counters["arena_per_block"] =
        static_cast<double>((after.arena + after.hblkhd) - (before.arena + before.hblkhd)) / million;
  }
}
BENCHMARK(memory)->Arg(1)->Arg(2)->Arg(8)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
