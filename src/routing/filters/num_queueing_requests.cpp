// num_queueing_requests: drops engines where more requests wait than at the given share of the candidates, by what the
// engines report. Who did not report stays, and is not counted. Nobody left: as if absent; but the shortest queue
// always stays.
#include <algorithm>
#include <cmath>
#include <vector>

#include "routing/filters/filters.hpp"

namespace kvgate::routing {
namespace {

/// The smallest value that at least this share of the values do not exceed (nearest rank). `values` not empty.
std::uint32_t percentile(std::vector<std::uint32_t> values, double share) {
  auto const n = static_cast<double>(values.size());
  auto const rank = std::clamp(std::ceil(n * share), 1.0, n);
  auto const at = values.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
  std::ranges::nth_element(values, at);
  return *at;
}

class NumQueueingRequestsFilter final : public EndpointFilter {
 public:
  explicit NumQueueingRequestsFilter(QueueingOptions const& options) : share_(options.percentile) {}

  std::string_view name() const noexcept override { return "num_queueing_requests"; }
  OnEmpty on_empty() const noexcept override { return OnEmpty::ignore; }

  void apply(RouteContext const&, Shortlist& shortlist) const override {
    std::vector<std::uint32_t> waiting;
    for (auto const& c : shortlist.candidates())
      if (c.reported) waiting.push_back(c.reported->waiting);
    if (waiting.empty()) return;
    auto const most = percentile(std::move(waiting), share_);
    shortlist.keep_if([&](Candidate const& c) { return !c.reported || c.reported->waiting <= most; });
  }

 private:
  double share_;
};

}  // namespace

std::unique_ptr<EndpointFilter const> make_num_queueing_requests(QueueingOptions const& options) {
  return std::make_unique<NumQueueingRequestsFilter>(options);
}

}  // namespace kvgate::routing
