// overload: drops engines over any of the configured limits: requests in flight (absolute, and relative to the other
// candidates), requests that the engine says wait, its KV cache usage. What an engine did not report does not count
// against it. Nobody left: as if absent, since an overloaded fleet is better than none.
#include <algorithm>
#include <limits>
#include <vector>

#include "routing/filters/filters.hpp"
#include "routing/load.hpp"

namespace kvgate::routing {
namespace {

/// Of an even number the lower one: of two engines the busier is measured by the other.
double median_load(std::span<Candidate const> candidates) {
  std::vector<double> loads;
  loads.reserve(candidates.size());
  for (auto const& c : candidates) loads.push_back(relative_load(c));
  auto const middle = loads.begin() + static_cast<std::ptrdiff_t>((loads.size() - 1) / 2);
  std::ranges::nth_element(loads, middle);
  return *middle;
}

class OverloadFilter final : public EndpointFilter {
 public:
  explicit OverloadFilter(OverloadOptions const& options) : limits_(options) {}

  std::string_view name() const noexcept override { return "overload"; }
  OnEmpty on_empty() const noexcept override { return OnEmpty::ignore; }

  void apply(RouteContext const&, Shortlist& shortlist) const override {
    auto const most = most_relative(shortlist.candidates());
    shortlist.keep_if([&](Candidate const& c) {
      // The median counts the request to come and the engine's own load does not: an idle fleet drops nobody.
      return c.load.in_flight / c.endpoint->spec().weight <= most && !over_limit(c) && !says_overloaded(c);
    });
  }

 private:
  double most_relative(std::span<Candidate const> candidates) const {
    if (limits_.relative == 0 || candidates.empty()) return std::numeric_limits<double>::infinity();
    return limits_.relative * median_load(candidates);
  }
  bool over_limit(Candidate const& c) const {
    return limits_.max_in_flight != 0 && c.load.in_flight > limits_.max_in_flight;
  }
  bool says_overloaded(Candidate const& c) const {
    if (!c.reported) return false;
    return (limits_.max_waiting != 0 && c.reported->waiting > limits_.max_waiting) ||
           (limits_.max_kv_usage != 0 && c.reported->kv_usage > limits_.max_kv_usage);
  }

  OverloadOptions limits_;
};

}  // namespace

std::unique_ptr<EndpointFilter const> make_overload(OverloadOptions const& options) {
  return std::make_unique<OverloadFilter>(options);
}

}  // namespace kvgate::routing
