// prefix_affinity: the engine where the prompt's prefix is cached, weighed against the work that waits there.
#include <algorithm>
#include <cmath>

#include "fleet/endpoint.hpp"
#include "prefix/block_hasher.hpp"
#include "routing/policies/policies.hpp"
#include "routing/ties.hpp"

namespace kvgate::routing {
namespace {

constexpr double kTellingTime = 0.02;   // seconds
constexpr double kUsual = 1.2;

/// What all modes share: the fact that they need, and abstaining.
class PrefixPolicy : public RoutingPolicy {
 public:
  explicit PrefixPolicy(PrefixOptions const& options) : options_(options) {}
  std::string_view name() const noexcept final { return "prefix_affinity"; }
  Signals needs() const noexcept final { return Signals().add(Signal::text_prefix); }

  Choice pick(RouteContext const& context, std::span<Candidate const> candidates) const final {
    std::uint32_t best = 0;
    for (auto const& c : candidates) best = std::max(best, c.cached_tokens());
    auto const min_match = static_cast<std::uint32_t>(std::ceil(static_cast<double>(options_.min_match) / prefix::kBytesPerToken));
    if (context.prompt.tokens() <= 1) return Choice::abstain({"no_text"});
    if (best < min_match) return Choice::abstain({"short_match", best, min_match});
    return choose(context, candidates);
  }

 protected:
  virtual Choice choose(RouteContext const& context, std::span<Candidate const> candidates) const = 0;
  PrefixOptions const options_;
};

/// The least work until the first token, in tokens of an average engine: what of this prompt is still to compute there,
/// and what waits before it. A prefix that another engine holds is worth a copy only while queueing for it costs more;
/// where the copy would evict something, it costs extra. Of engines that are equal so far, the one with the emptier cache
/// takes what is new.
class ByCost final : public PrefixPolicy {
 public:
  using PrefixPolicy::PrefixPolicy;

  void costs(RouteContext const& context, std::span<Candidate const> candidates, std::span<double> out) const override {
    Scale const scale = scale_of(context, candidates);
    for (std::size_t i = 0; i < candidates.size(); ++i) out[i] = cost(scale, candidates[i]);
  }

 protected:
  Choice choose(RouteContext const& context, std::span<Candidate const> candidates) const override {
    Scale const scale = scale_of(context, candidates);
    auto const best = cheapest(candidates, [&](Candidate const& c) { return cost(scale, c); });
    auto const& chosen = candidates[best];
    return Choice::of(best, {chosen.cached_tokens() == 0 ? "least_work" : "cached_prefix", chosen.cached_tokens(),
                             static_cast<std::int64_t>(context.prompt.tokens())});
  }

 private:
  /// What candidates are measured by.
  struct Scale {
    double tokens = 0;        ///< of the prompt
    double cached = 0;        ///< of these, at the candidate that has most
    double speed = 0;         ///< tokens per second of an average candidate; 0: not known of all
    double weight = 1;        ///< of an average candidate
  };

  static Scale scale_of(RouteContext const& context, std::span<Candidate const> candidates) {
    Scale scale{.tokens = static_cast<double>(context.prompt.tokens()), .weight = 0};
    bool all_known = true;
    auto const n = static_cast<double>(candidates.size());
    for (auto const& c : candidates) {
      scale.cached = std::max<double>(scale.cached, c.cached_tokens());
      scale.speed += c.prefill_speed / n;
      scale.weight += c.endpoint->spec().weight / n;
      all_known &= c.prefill_speed > 0;
    }
    // Of what takes no time the speed is not known either: overhead and chance would decide.
    if (!all_known || scale.tokens < kTellingTime * scale.speed) scale.speed = 0;
    return scale;
  }

  /// Relative to an average engine; 1 for those that differ no more than measurements do.
  static double speed(Scale const& scale, Candidate const& c) {
    if (scale.speed == 0) return c.endpoint->spec().weight / scale.weight;
    double const relative = c.prefill_speed / scale.speed;
    return relative > kUsual || relative < 1 / kUsual ? relative : 1;
  }

  double cost(Scale const& scale, Candidate const& c) const {
    double const to_compute = std::max(0.0, scale.tokens - c.cached_tokens());
    double const queued = options_.queue_weight * c.prefill_left + options_.decode_weight * c.load.in_flight;
    bool const evicts = c.cache_room && static_cast<double>(*c.cache_room) < to_compute;
    double const copied = evicts ? options_.copy_weight * (scale.cached - c.cached_tokens()) : 0;
    double const filling = options_.fill_weight * c.cache_fill * to_compute;
    return (to_compute + queued) / speed(scale, c) + copied + filling;
  }
};

/// The longest cached prefix, whatever waits there.
class ByLength final : public PrefixPolicy {
 public:
  using PrefixPolicy::PrefixPolicy;

  void costs(RouteContext const&, std::span<Candidate const> candidates, std::span<double> out) const override {
    for (std::size_t i = 0; i < candidates.size(); ++i) out[i] = -static_cast<double>(candidates[i].cached_tokens());
  }

 protected:
  Choice choose(RouteContext const& context, std::span<Candidate const> candidates) const override {
    auto const best = cheapest(candidates, [](Candidate const& c) { return -static_cast<std::int64_t>(c.cached_tokens()); });
    return Choice::of(best, {"longest_prefix", candidates[best].cached_tokens(),
                             static_cast<std::int64_t>(context.prompt.tokens())});
  }
};

/// The rule of the Rust gateways' cache_aware policy, with their names: while the fleet is balanced and enough of the
/// prompt is cached somewhere, go there; else to the engine with the fewest requests.
class ByThreshold final : public PrefixPolicy {
 public:
  using PrefixPolicy::PrefixPolicy;

 protected:
  Choice choose(RouteContext const& context, std::span<Candidate const> candidates) const override {
    auto const in_flight = [](Candidate const& c) { return c.load.in_flight; };
    auto const [least, most] = std::ranges::minmax(candidates, {}, in_flight);
    bool const imbalanced = most.load.in_flight - least.load.in_flight > options_.balance_abs_threshold &&
                            most.load.in_flight > options_.balance_rel_threshold * least.load.in_flight;
    auto const idlest = cheapest(candidates, in_flight);
    if (imbalanced) return Choice::of(idlest, {"imbalanced", most.load.in_flight, least.load.in_flight});
    auto const best = cheapest(candidates, [](Candidate const& c) { return -static_cast<std::int64_t>(c.cached_tokens()); });
    auto const tokens = static_cast<double>(context.prompt.tokens());
    bool const enough = candidates[best].cached_tokens() > options_.cache_threshold * tokens;
    return Choice::of(enough ? best : idlest, {enough ? "cached_prefix" : "below_threshold", candidates[best].cached_tokens(),
                                               static_cast<std::int64_t>(options_.cache_threshold * tokens)});
  }
};

}  // namespace

std::unique_ptr<RoutingPolicy const> make_prefix_affinity(PrefixOptions const& options) {
  if (options.mode == "longest") return std::make_unique<ByLength>(options);
  if (options.mode == "threshold") return std::make_unique<ByThreshold>(options);
  return std::make_unique<ByCost>(options);
}

}  // namespace kvgate::routing
