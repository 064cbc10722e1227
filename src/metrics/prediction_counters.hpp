// What was believed of the engines' prefix caches, beside what they said: by policy and engine.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "metrics/catalogue.hpp"
#include "metrics/cells.hpp"

namespace kvgate::metrics {

/// Prompt tokens as the engine counts them: all, and those that were thought and those that were said to be cached.
struct Prediction {
  std::uint64_t prompt = 0;
  std::uint64_t predicted = 0;
  std::uint64_t reported = 0;
};

/// One per worker. add() is for the owning worker: it allocates and takes the mutex only for a pair never seen before.
class PredictionCounters {
 public:
  using Visit = std::function<void(std::string_view policy, std::uint32_t engine, Prediction const& sums)>;
  using VisitErrors = std::function<void(std::string_view policy, HistogramReading const& errors)>;

  /// Guards insertions against reading; shared with the other cells of the worker, must outlive this.
  explicit PredictionCounters(std::mutex& mutex) : mutex_(mutex) {}

  /// `policy` is a name with static storage, from a closed set. `engine`: its id, as the Registry gave it.
  void add(std::string_view policy, std::uint32_t engine, Prediction const& prediction);

  /// Any thread, without holding the mutex.
  void read(Visit const& visit, VisitErrors const& visit_errors) const;

 private:
  struct Cells {
    Counter prompt, predicted, reported;
  };
  struct Policy {
    std::string_view name;
    Histogram<kPredictionErrorBounds> errors;        // |predicted - reported|
    std::vector<std::unique_ptr<Cells>> by_engine;   // null: nothing yet
  };
  Policy& policy(std::string_view name);
  Cells& cells(Policy& policy, std::uint32_t engine);

  std::mutex& mutex_;
  std::vector<std::unique_ptr<Policy>> policies_;
};

}  // namespace kvgate::metrics
