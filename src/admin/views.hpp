// Bodies of the gate's own endpoints: pure functions of one snapshot of the fleet. Thread-safe. All JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kvgate/clock.hpp"
#include "tokens/table.hpp"

namespace kvgate::fleet {
struct EndpointSet;
}

namespace kvgate::admin {

/// GET /engines: an array with what the gate knows of each engine at `now`. What an engine said of itself (`reported`)
/// is null when it is older than `stale`. Keys of engines are never shown. `tokens`: how far the token ids of its models
/// are known.
std::string engines_view(fleet::EndpointSet const& fleet, tokens::Table::Map const& tokens, Clock::time_point now,
                         Clock::duration stale);

/// GET /version: {"version":"…"}, as vLLM answers.
std::string version_view();

/// GET /v1/models: the union over all engines, up or down, and the models that only configuration knows. `created`
/// (seconds since the epoch) goes into the cards of the latter.
std::string models_view(fleet::EndpointSet const& fleet, std::int64_t created);

/// GET /v1/models/{id}: one card of that list; nullopt: nobody knows it.
std::optional<std::string> model_view(fleet::EndpointSet const& fleet, std::string_view id, std::int64_t created);

struct Readiness {
  std::size_t usable = 0;  ///< engines that are up and whose models are known
  std::size_t engines = 0;
  bool draining = false;  ///< the gate is going away: not ready, whatever the engines are

  bool ready() const noexcept { return usable > 0 && !draining; }
};

Readiness readiness_of(fleet::EndpointSet const& fleet, bool draining);

/// GET /ready: {"status":"ready"|"no usable engine"|"draining","usable":n,"engines":n}.
std::string ready_view(Readiness const& readiness);

}  // namespace kvgate::admin
