// A decision as JSON: what was known, what each filter and policy made of it, and who won. Enough of it to decide again.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/endpoint_set.hpp"
#include "kvgate/error.hpp"
#include "openai/request_view.hpp"
#include "routing/decide.hpp"

namespace kvgate::routing {

struct RecordInput {
  RouteContext const& context;
  Plan const& plan;
  std::span<Candidate const> field;   ///< before any filter
  Trace const& trace;                 ///< detailed
  Verdict const& verdict;
  std::size_t simhash_bytes = 0;      ///< how much of the prompt the recorded hash is of
  std::string_view request_id;
};

/// One JSON object, one line of ASCII. No text of the prompt is in it; the session id is, unless it is secret.
std::string record_json(RecordInput const& input);

/// A record read back: owns what its context and candidates refer to.
class Replay {
 public:
  /// Errors (bad_request): not JSON, or a member is missing, of the wrong type or out of its range.
  static Result<std::unique_ptr<Replay>> read(std::string_view json);

  RouteContext const& context() const noexcept { return *context_; }
  /// Fresh copies, as a decision prunes them.
  std::vector<Candidate> candidates() const { return candidates_; }
  std::vector<std::string> const& policies() const noexcept { return policies_; }
  /// As make_plan() takes them: without `pinned`, which routing.pin_by_id puts before them.
  std::vector<std::string> const& filters() const noexcept { return filters_; }
  /// The engine that won; empty: nobody did.
  std::string const& winner() const noexcept { return winner_; }

 private:
  struct Reader;
  Replay() = default;

  std::deque<std::shared_ptr<fleet::Endpoint>> endpoints_;
  std::deque<fleet::ServedModel> served_;
  std::vector<Candidate> candidates_;
  std::vector<std::string> policies_, filters_;
  std::string model_, session_, subset_, pin_, winner_;
  openai::RequestView view_;
  RequestKeys keys_;
  std::optional<PromptFacts> prompt_;
  std::optional<RouteContext> context_;
};

}  // namespace kvgate::routing
