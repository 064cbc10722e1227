// Two million distinct prompts, and between them prompts that come again and again: what the gate believes stays within
// prefix.max_memory, and those that repeat are found as often at the end as in the beginning. Exits with 1 if not.
#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "fleet_fixture.hpp"

namespace {

using namespace kvgate;

constexpr std::size_t kEngines = 8;
constexpr std::size_t kDistinct = 2'000'000;
constexpr std::size_t kRepeating = 200;  // as many as come back before they are forgotten
constexpr std::size_t kPromptBytes = 2048;
constexpr std::size_t kReports = 10;
constexpr std::size_t kMaxMemory = 32 << 20;
constexpr double kMayFall = 0.01;

/// A prompt with a text of its own from its first block on. The view points into `json`.
openai::RequestView prompt(std::uint64_t seed, std::string& json) {
  std::mt19937_64 random(seed);
  json = "\"";
  while (json.size() < kPromptBytes) json += std::to_string(random());
  json += '"';
  openai::RequestView view;
  view.api = openai::ApiKind::completions;
  view.prompt = json;
  return view;
}

struct Tally {
  double tokens = 0, cached = 0;
  double hit() const { return cached / tokens; }
};

class Soak {
 public:
  Soak() : fixture_(kEngines, options()), router_(fixture_) {}

  /// Routes a share of the prompts, every tenth one that repeats.
  Tally run(std::size_t distinct) {
    Tally repeating;
    for (std::size_t i = 0; i < distinct; ++i) {
      route(kRepeating + next_++);
      if (i % 9 != 0) continue;
      auto const decision = route(turn_++ % kRepeating);
      repeating.tokens += static_cast<double>(decision.prompt_tokens);
      repeating.cached += static_cast<double>(decision.cached_tokens);
    }
    return repeating;
  }

  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kEngines; ++i) sum += fixture_.endpoint(i).cached_blocks().stats().bytes;
    return sum;
  }
  std::uint64_t blocks() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kEngines; ++i) sum += fixture_.endpoint(i).cached_blocks().stats().live_blocks;
    return sum;
  }

 private:
  static routing::Options options() {
    routing::Options options;
    options.prefix.max_memory = kMaxMemory;
    return options;
  }

  Decision route(std::uint64_t seed) {
    auto const view = prompt(seed, json_);
    auto const selection = router_.route(view, {}, Clock::now());
    Outcome outcome;
    outcome.status = 200;
    outcome.first_byte = outcome.prefill = std::chrono::milliseconds(1);
    routing::Selector::finished(selection.decision, outcome);
    return selection.decision;
  }

  bench::FleetFixture fixture_;
  bench::Router router_;
  std::string json_;
  std::uint64_t next_ = 0, turn_ = 0;
};

}  // namespace

int main() {
  Soak soak;
  soak.run(kDistinct / kReports);  // until memory is full
  double first = 0, last = 0;
  std::uint64_t most = 0;
  for (std::size_t i = 1; i < kReports; ++i) {
    last = soak.run(kDistinct / kReports).hit();
    if (i == 1) first = last;
    most = std::max(most, soak.bytes());
    std::printf("prompts %9zu  blocks %8lu  bytes %9lu of %9zu  hit rate of those that repeat %.4f\n",
                (i + 1) * (kDistinct / kReports), soak.blocks(), soak.bytes(), kMaxMemory, last);
  }
  return most > kMaxMemory || last < first - kMayFall || last < 0.9 ? 1 : 0;
}
