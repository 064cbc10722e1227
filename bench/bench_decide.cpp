// One routing decision with its reservation, by number of engines.
#include <benchmark/benchmark.h>

#include <string>

#include "fleet/registry.hpp"
#include "openai/request_view.hpp"
#include "routing/selector.hpp"

namespace {

using namespace kvgate;

void select(benchmark::State& state, std::string const& policy) {
  fleet::Registry registry([](std::string_view) { return 1u; }, [](std::string_view) { return 1u; }, 7);
  std::vector<EngineSpec> engines(static_cast<std::size_t>(state.range(0)));
  for (std::size_t i = 0; i < engines.size(); ++i) {
    engines[i].url.text = "http://10.0.0." + std::to_string(i) + ":8000";
    engines[i].models = {"m"};
  }
  registry.set_engines(std::move(engines), {});
  auto const plan = routing::make_plan(std::vector<std::string>{policy}, std::vector<std::string>{"model", "healthy", "capacity"});
  routing::Selector selector(registry, plan);
  auto const fleet = registry.current();
  openai::RequestView const view;
  PromptFacts prompt(view);
  RouteContext const context{view, prompt, "m", Clock::now(), 1};
  for (auto _ : state) benchmark::DoNotOptimize(selector.select(context, *fleet, fleet->find_model("m"), {}));
}
BENCHMARK_CAPTURE(select, round_robin, std::string("round_robin"))->Arg(2)->Arg(8)->Arg(64);
BENCHMARK_CAPTURE(select, least_loaded, std::string("least_loaded"))->Arg(2)->Arg(8)->Arg(64);

}  // namespace
