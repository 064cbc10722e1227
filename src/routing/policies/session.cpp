// session: requests with the same key go to the same engine. Without a key it abstains.
//
// ring "bounded": every engine has a place in the key's own order (weighted rendezvous hashing over URLs), and the
// first that is not full takes the request. When an engine comes or goes, only the keys that it gets or had move.
//
// ring "uhashring": the ring that production-stack's router uses, point for point, so that both agree on every key
// while one replaces the other. Looks at no load and no weight.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/stable_hash.hpp"
#include "fleet/endpoint.hpp"
#include "routing/policies/policies.hpp"

namespace kvgate::routing {
namespace {

/// Place of an engine in a key's order, smaller comes first: exponentially distributed with the weight as its rate, so
/// that an engine comes first for its share of all keys.
double place(std::uint64_t key, fleet::Endpoint const& endpoint) {
  auto const uniform = (static_cast<double>(mixed(key ^ endpoint.url_hash()) >> 11) + 0.5) * 0x1p-53;
  return -std::log(uniform) / endpoint.spec().weight;
}

constexpr double kNeverFull = 4;   // so few requests are no load, and a fleet that idles must not scatter a session

/// The most that each engine may have in flight: its share, by weight, of what is in flight at all of them.
class Bound {
 public:
  Bound(double bound, std::span<Candidate const> candidates) {
    double in_flight = 1;   // the request to come
    double weight = 0;
    for (auto const& c : candidates) {
      in_flight += c.load.in_flight;
      weight += c.endpoint->spec().weight;
    }
    per_weight_ = bound * in_flight / weight;
  }
  double of(Candidate const& c) const {
    return std::max(kNeverFull, std::ceil(per_weight_ * c.endpoint->spec().weight));
  }
  bool full(Candidate const& c) const { return c.load.in_flight + 1.0 > of(c); }

 private:
  double per_weight_;
};

class BoundedSession final : public RoutingPolicy {
 public:
  explicit BoundedSession(double bound) : bound_(bound) {}

  std::string_view name() const noexcept override { return "session"; }

  Choice pick(RouteContext const& context, std::span<Candidate const> candidates) const override {
    if (!context.keys.session) return Choice::abstain({"no_session"});
    Bound const bound(bound_, candidates);
    auto const key = stable_hash(*context.keys.session);
    std::size_t home = 0;
    std::optional<std::size_t> taker;
    double home_place = HUGE_VAL;
    double taker_place = HUGE_VAL;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      auto const at = place(key, *candidates[i].endpoint);
      if (at < home_place) home_place = at, home = i;
      if (at < taker_place && !bound.full(candidates[i])) taker_place = at, taker = i;
    }
    if (!taker || *taker == home) return Choice::of(home, {"session_home"});
    auto const wanted = static_cast<std::int64_t>(bound.of(candidates[home]));
    return Choice::of(*taker, {"session_home_full", candidates[home].load.in_flight, wanted});
  }

 private:
  double bound_;
};

/// How far the ring has to be walked from `key` to an engine: comparable, not a number.
struct Walk {
  bool wrapped;
  fleet::RingPoint to;
  auto operator<=>(Walk const&) const = default;
};

/// The key stands before the first point that is greater: a point that equals it is behind it.
Walk walk(fleet::RingPoint key, fleet::Endpoint const& endpoint) {
  auto const points = endpoint.ring_points();
  auto const next = std::ranges::upper_bound(points, key);
  return next == points.end() ? Walk{true, points.front()} : Walk{false, *next};
}

class UhashringSession final : public RoutingPolicy {
 public:
  std::string_view name() const noexcept override { return "session"; }

  Choice pick(RouteContext const& context, std::span<Candidate const> candidates) const override {
    if (!context.keys.session) return Choice::abstain({"no_session"});
    auto const key = fleet::ring_point(*context.keys.session);
    std::size_t best = 0;
    auto nearest = walk(key, *candidates[0].endpoint);
    for (std::size_t i = 1; i < candidates.size(); ++i) {
      auto const other = walk(key, *candidates[i].endpoint);
      if (other < nearest) nearest = other, best = i;
    }
    return Choice::of(best, {"session_ring"});
  }
};

}  // namespace

std::unique_ptr<RoutingPolicy const> make_session(SessionOptions const& options) {
  if (options.ring != "uhashring") return std::make_unique<BoundedSession>(options.bound);
  fleet::ring_point({});   // throws now, rather than on the first request, where there is no MD5
  return std::make_unique<UhashringSession>();
}

}  // namespace kvgate::routing
