// The whole routing decision of a parsed request: hash the prompt, look it up at every engine, decide, reserve,
// believe.
//
// Timed by hand: what follows a decision (the lease ends, the belief is taken back so that prompts keep their random
// depths) does not count. The median stands what else runs on the machine better than the mean. Two threads have a
// Selector and prompts each and share the engines. Every iteration takes another prompt, so that its entries are rarely
// in the core's own cache.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fleet_fixture.hpp"
#include "prompt_bodies.hpp"

namespace {

using namespace kvgate;

constexpr std::uint64_t kBlocksInIndex = 1'000'000;
constexpr std::size_t kMaxHolders = 8;  // engines that have some of a prompt
constexpr std::size_t kBytesOfBodies = 16 << 20;
constexpr std::size_t kMaxPrompts = 512;

std::string words_of(std::uint64_t seed) {
  return "prompt " + std::to_string(seed) + ": the quick brown fox jumps over the lazy dog near the river. ";
}

/// Engines, a million blocks at them, and prompts of which up to eight engines have random parts.
class World {
 public:
  World(std::size_t engines, std::size_t bytes, routing::Options const& options) : fixture(engines, options) {
    auto const count = std::clamp<std::size_t>(kBytesOfBodies / bytes, 2, kMaxPrompts) / 2 * 2;
    for (std::size_t i = 0; i < count; ++i) {
      prompts.push_back(
          std::make_unique<bench::ParsedBody>(openai::ApiKind::chat, bench::chat_body(bytes, words_of(i))));
      sessions.push_back("session-" + std::to_string(i));
    }
    if (!options.policies.empty() && options.policies.back() == "prefix_affinity") fill(engines);
  }

  bench::FleetFixture fixture;
  std::vector<std::unique_ptr<bench::ParsedBody>> prompts;
  std::vector<std::string> sessions;

 private:
  void fill(std::size_t engines) {
    std::mt19937_64 random(1);
    prefix::PromptBlocks blocks;
    for (auto const& prompt : prompts) {
      prefix::hash_prompt(prompt->view(), prefix::prompt_seed(bench::FleetFixture::kModel, ""), blocks);
      for (std::size_t i = 0; i < std::min(engines, kMaxHolders); ++i) {
        auto const depth = random() % (blocks.hashes.size() + 1);
        fixture.endpoint(random() % engines).cached_blocks().touch(std::span(blocks.hashes).first(depth));
      }
    }
    std::vector<prefix::BlockHash> other(64);
    for (std::size_t i = 0; i < engines; ++i) {
      auto& cache = fixture.endpoint(i).cached_blocks();
      while (cache.stats().live_blocks < kBlocksInIndex / engines) {
        for (auto& block : other) block = random();
        cache.touch(other);
      }
    }
  }
};

struct Case {
  std::vector<std::string> chain;
  std::string ring = "bounded";
};

/// Made by the first thread; the others wait for it where the timing begins.
World* world = nullptr;

void decide(benchmark::State& state, Case const& what) {
  std::unique_ptr<World> owned;
  if (state.thread_index() == 0) {
    routing::Options options;
    options.policies = what.chain;
    options.session.ring = what.ring;
    owned = std::make_unique<World>(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)),
                                    options);
    world = owned.get();
  }
  std::unique_ptr<bench::Router> router;
  std::size_t turn = static_cast<std::size_t>(state.thread_index());
  double tokens = 0, cached = 0;
  std::vector<double> times;
  times.reserve(state.max_iterations);
  for (auto _ : state) {
    if (!router) router = std::make_unique<bench::Router>(world->fixture);
    turn = (turn + 2) % world->prompts.size();
    RequestKeys keys;
    if (what.chain.front() == "session" && what.chain.size() == 1) keys.session = world->sessions[turn];
    auto const began = Clock::now();
    auto const selection = router->route(world->prompts[turn]->view(), keys, began);
    times.push_back(std::chrono::duration<double>(Clock::now() - began).count());
    state.SetIterationTime(times.back());
    tokens += static_cast<double>(selection.decision.prompt_tokens);
    cached += static_cast<double>(selection.decision.cached_tokens);
    routing::Selector::finished(selection.decision, {});
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  state.counters["median_us"] = benchmark::Counter(times[times.size() / 2] * 1e6, benchmark::Counter::kAvgThreads);
  state.counters["hit"] = benchmark::Counter(cached / tokens, benchmark::Counter::kAvgThreads);
}

#define SHAPES ArgNames({"engines", "bytes"})->UseManualTime()->Threads(1)->Threads(2)
BENCHMARK_CAPTURE(decide, prefix_affinity, Case{{"session", "prefix_affinity"}})
    ->SHAPES->Args({8, 4 << 10})
    ->Args({64, 128 << 10})
    ->Args({8, 32 << 10})
    ->Args({64, 4 << 10});
BENCHMARK_CAPTURE(decide, round_robin, Case{{"round_robin"}})->SHAPES->Args({8, 4 << 10})->Args({64, 4 << 10});
BENCHMARK_CAPTURE(decide, least_loaded, Case{{"least_loaded"}})->SHAPES->Args({8, 4 << 10})->Args({64, 4 << 10});
BENCHMARK_CAPTURE(decide, power_of_two, Case{{"power_of_two"}})->SHAPES->Args({8, 4 << 10})->Args({64, 4 << 10});
BENCHMARK_CAPTURE(decide, session_bounded, Case{{"session"}})->SHAPES->Args({8, 4 << 10})->Args({64, 4 << 10});
BENCHMARK_CAPTURE(decide, session_uhashring, Case{{"session"}, "uhashring"})
    ->SHAPES->Args({8, 4 << 10})
    ->Args({64, 4 << 10});

}  // namespace
