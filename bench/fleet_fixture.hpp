// A fleet without sockets, to decide about.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/registry.hpp"
#include "kvgate/route_context.hpp"
#include "openai/request_view.hpp"
#include "prefix/prompt_text.hpp"
#include "routing/selector.hpp"

namespace kvgate::bench {

/// Engines that all serve one model, and the plan of a chain of policies with the default filters.
class FleetFixture {
 public:
  static constexpr std::string_view kModel = "org/model";

  FleetFixture(std::size_t engines, routing::Options const& options)
      : registry_([](std::string_view) { return 1u; }, [](std::string_view) { return 1u; }, 7,
                  options.prefix.max_memory),
        plans_(options) {
    std::vector<EngineSpec> specs(engines);
    for (std::size_t i = 0; i < engines; ++i) {
      specs[i].url.text = "http://10.0.0." + std::to_string(i) + ":8000";
      specs[i].models = {std::string(kModel)};
    }
    registry_.set_engines(std::move(specs), {});
    fleet_ = registry_.current();
    for (auto const& member : fleet_->members) {
      fleet::EngineStats stats;
      stats.gauges = {.running = 3, .waiting = 0, .kv_usage = 0.5f, .taken = Clock::now() + std::chrono::hours(1)};
      registry_.set_stats(member.endpoint, stats);
    }
  }

  fleet::Registry& registry() noexcept { return registry_; }
  routing::Plans const& plans() const noexcept { return plans_; }
  fleet::EndpointSet const& fleet() const noexcept { return *fleet_; }
  fleet::Endpoint& endpoint(std::size_t i) const { return *fleet_->members[i].endpoint; }

 private:
  fleet::Registry registry_;
  routing::Plans plans_;
  std::shared_ptr<fleet::EndpointSet const> fleet_;
};

/// One worker's view of it.
class Router {
 public:
  explicit Router(FleetFixture& fixture) : fixture_(fixture), selector_(fixture.registry(), fixture.plans()) {}

  /// All that routing does with a parsed request: hash, look up, decide, reserve, believe.
  routing::Selection route(openai::RequestView const& view, RequestKeys const& keys, Clock::time_point now) {
    auto const* const model = fixture_.fleet().find_model(FleetFixture::kModel);
    PromptFacts prompt(view, model->id, scratch_);
    RouteContext const context{view, prompt, keys, model->id, now, 1};
    return selector_.select(context, {fixture_.fleet(), model, {}});
  }

 private:
  FleetFixture& fixture_;
  routing::Selector selector_;
  prefix::PromptBlocks scratch_;
};

}  // namespace kvgate::bench
