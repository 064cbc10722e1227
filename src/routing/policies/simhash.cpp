// simhash: prompts that begin alike go to the same engine, without any state: every replica decides the same.
//
// Each engine owns an anchor, a pseudo-random word of 64 bits made of its URL; the one that differs from the prompt's
// SimHash in the fewest bits wins. Flipped bits change all distances by little: with eight engines, half of the prompts
// stay where they were when eight bits flip. On a ring of 160 points an engine a third do, since one high bit throws a
// prompt to the other side. More anchors than one each would spread prompts more evenly, but keep fewer (a third
// with 16).
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "base/stable_hash.hpp"
#include "fleet/endpoint.hpp"
#include "routing/policies/policies.hpp"

namespace kvgate::routing {
namespace {

constexpr int kBits = 64;

/// What share of all words differs from a given one in fewer than `d` bits.
constexpr std::array<double, kBits + 2> fewer_than() {
  std::array<double, kBits + 2> below{};
  double exactly = 0x1p-64;
  for (int d = 0; d <= kBits; ++d) {
    below[d + 1] = below[d] + exactly;
    exactly = exactly * (kBits - d) / (d + 1);
  }
  return below;
}

constexpr auto kFewerThan = fewer_than();

/// Between 0 (equal) and 1, uniformly distributed over all words.
double distance(std::uint64_t hash, std::uint64_t anchor) {
  auto const d = static_cast<std::size_t>(std::popcount(hash ^ anchor));
  // Distances are often equal, so a second anchor orders those of the first.
  auto const finer = static_cast<std::size_t>(std::popcount(hash ^ mixed(anchor + 1)));
  return kFewerThan[d] + (kFewerThan[d + 1] - kFewerThan[d]) * kFewerThan[finer];
}

/// Smaller is nearer. Exponentially distributed with the weight as its rate: an engine gets its share of all words.
/// What is left of ties goes by URL, for replicas that list the engines in another order.
std::pair<double, std::uint64_t> place(std::uint64_t hash, fleet::Endpoint const& endpoint) {
  auto const anchor = mixed(endpoint.url_hash());
  return {-std::log1p(-distance(hash, anchor)) / endpoint.spec().weight, anchor};
}

class SimhashPolicy final : public RoutingPolicy {
 public:
  explicit SimhashPolicy(SimhashOptions const& options) : max_bytes_(options.max_bytes) {}

  std::string_view name() const noexcept override { return "simhash"; }

  Choice pick(RouteContext const& context, std::span<Candidate const> candidates) const override {
    auto const hash = context.prompt.simhash(max_bytes_);
    if (hash == 0 && context.prompt.tokens() <= 1) return Choice::abstain({"no_prompt"});
    std::size_t best = 0;
    auto nearest = place(hash, *candidates[0].endpoint);
    for (std::size_t i = 1; i < candidates.size(); ++i) {
      auto const at = place(hash, *candidates[i].endpoint);
      if (at < nearest) nearest = at, best = i;
    }
    return Choice::of(best, {"nearest_anchor"});
  }

 private:
  std::size_t max_bytes_;
};

}  // namespace

std::unique_ptr<RoutingPolicy const> make_simhash(SimhashOptions const& options) {
  return std::make_unique<SimhashPolicy>(options);
}

}  // namespace kvgate::routing
