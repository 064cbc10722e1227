// The one writer of the fleet's state: engines come from configuration or discovery, models and health from watch/,
// connect failures from proxy/. Publishes snapshots.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/snapshot.hpp"
#include "fleet/endpoint_set.hpp"
#include "kvgate/engine_spec.hpp"

namespace kvgate::fleet {

/// A change of an endpoint's health, told once per change, on the thread that caused it.
struct Transition {
  std::shared_ptr<Endpoint> endpoint;
  Health from = Health::unknown;
  Health to = Health::unknown;
  std::string_view reason;         ///< static storage: probe_ok, probe_failed, connect_refused, ...
};

class Registry {
 public:
  using InternId = std::function<std::uint32_t(std::string_view)>;

  /// `engine_id` and `model_id` give the dense ids under which metrics know engines and models.
  /// `prefix_memory`: bytes for all that is believed of the engines' caches.
  Registry(InternId engine_id, InternId model_id, std::uint64_t seed,
           std::size_t prefix_memory = 256 * 1024 * 1024);

  /// Before the threads start: the fixed fleet, and the models that are known even when no engine has them.
  void set_engines(std::vector<EngineSpec> engines, std::vector<std::string> known_models);

  /// The models that an engine told; published when they differ from what it told before. Thread-safe.
  void set_models(Endpoint const& endpoint, std::vector<openai::ModelCard> cards);

  /// Thread-safe; listeners run when the state really changes. `suspect` says less than `down` and does not replace it.
  void set_health(std::shared_ptr<Endpoint> const& endpoint, Health next, std::string_view reason);

  /// What the engine said of itself. True when it has started anew since: then what was learned of its speed and
  /// believed of its cache is forgotten. Thread-safe.
  bool set_stats(std::shared_ptr<Endpoint> const& endpoint, EngineStats stats);

  /// To be called before the threads start. Listeners run on the thread that caused the change and must not block.
  void on_transition(std::function<void(Transition const&)> listener) { listeners_.push_back(std::move(listener)); }

  Snapshot<EndpointSet> const& snapshot() const noexcept { return snapshot_; }
  std::shared_ptr<EndpointSet const> current() const { return snapshot_.load(); }

  /// The next number of the fleet-wide pick sequence. Thread-safe.
  std::uint64_t next_pick() noexcept { return pick_sequence_.fetch_add(1, std::memory_order_relaxed); }

 private:
  using Picks = std::map<std::string, std::shared_ptr<std::atomic<std::uint64_t>>, std::less<>>;

  std::vector<std::shared_ptr<ServedModel const>> served_models(std::size_t member,
                                                                std::vector<openai::ModelCard> cards);
  void rebuild();

  InternId engine_id_, model_id_;
  std::uint64_t seed_;
  std::shared_ptr<prefix::Budget> const prefix_memory_;
  std::mutex mutex_;                          // guards members_, picks_, known_
  std::vector<Member> members_;
  std::vector<Picks> picks_;                  // per member: model id -> its pick clock
  std::vector<std::string> known_;
  std::vector<std::function<void(Transition const&)>> listeners_;
  std::atomic<std::uint64_t> pick_sequence_{1u << 16};
  Snapshot<EndpointSet> snapshot_;
};

}  // namespace kvgate::fleet
