// The seam of endpoint filters: which candidates should not take a request at all.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "kvgate/candidate.hpp"
#include "kvgate/route_context.hpp"
#include "kvgate/signals.hpp"

namespace kvgate {

/// What it means that a filter leaves nobody: an error for the client, or as if the filter were not there.
enum class OnEmpty { refuse, ignore };

/// The candidates that are still in. Order is kept.
class Shortlist {
 public:
  explicit Shortlist(std::vector<Candidate>& candidates, OnEmpty on_empty = OnEmpty::refuse)
      : candidates_(candidates), on_empty_(on_empty) {}

  std::span<Candidate const> candidates() const noexcept { return candidates_; }
  /// Keeps those for which `keep` says true; all of them when that is nobody and an empty list is to be ignored.
  template <class Keep>
  void keep_if(Keep keep) {
    ignored_ = on_empty_ == OnEmpty::ignore && std::ranges::none_of(candidates_, keep);
    if (!ignored_) std::erase_if(candidates_, [&](Candidate const& c) { return !keep(c); });
  }
  /// Whether the last keep_if() would have left nobody and was ignored.
  bool ignored() const noexcept { return ignored_; }

 private:
  std::vector<Candidate>& candidates_;
  OnEmpty const on_empty_;
  bool ignored_ = false;
};

/// One instance serves all workers; apply() is const and does no I/O.
class EndpointFilter {
 public:
  virtual ~EndpointFilter() = default;
  virtual std::string_view name() const noexcept = 0;
  virtual Signals needs() const noexcept { return {}; }
  virtual OnEmpty on_empty() const noexcept = 0;
  virtual void apply(RouteContext const& context, Shortlist& shortlist) const = 0;
};

}  // namespace kvgate
