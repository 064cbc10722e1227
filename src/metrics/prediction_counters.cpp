#include "metrics/prediction_counters.hpp"

#include <algorithm>

namespace kvgate::metrics {

void PredictionCounters::add(std::string_view policy_name, std::uint32_t engine, Prediction const& prediction) {
  auto& of_policy = policy(policy_name);
  auto const [less, more] = std::minmax(prediction.predicted, prediction.reported);
  of_policy.errors.observe(static_cast<double>(more - less));
  auto& sums = cells(of_policy, engine);
  sums.prompt.add(prediction.prompt);
  sums.predicted.add(prediction.predicted);
  sums.reported.add(prediction.reported);
}

PredictionCounters::Policy& PredictionCounters::policy(std::string_view name) {
  for (auto const& policy : policies_)
    if (policy->name == name) return *policy;
  auto policy = std::make_unique<Policy>();
  policy->name = name;
  std::lock_guard const lock(mutex_);
  return *policies_.emplace_back(std::move(policy));
}

PredictionCounters::Cells& PredictionCounters::cells(Policy& policy, std::uint32_t engine) {
  if (engine < policy.by_engine.size() && policy.by_engine[engine]) return *policy.by_engine[engine];
  auto cells = std::make_unique<Cells>();
  std::lock_guard const lock(mutex_);
  if (engine >= policy.by_engine.size()) policy.by_engine.resize(engine + 1);
  return *(policy.by_engine[engine] = std::move(cells));
}

void PredictionCounters::read(Visit const& visit, VisitErrors const& visit_errors) const {
  std::lock_guard const lock(mutex_);
  for (auto const& policy : policies_) {
    visit_errors(policy->name, policy->errors.read());
    for (std::uint32_t engine = 0; engine < policy->by_engine.size(); ++engine) {
      auto const* cells = policy->by_engine[engine].get();
      if (cells) visit(policy->name, engine, {cells->prompt.read(), cells->predicted.read(), cells->reported.read()});
    }
  }
}

}  // namespace kvgate::metrics
