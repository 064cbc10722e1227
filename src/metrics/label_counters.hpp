// Counters by one or two label values that are names with static storage (policies, reasons, filters).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "metrics/cells.hpp"

namespace kvgate::metrics {

/// One per worker and metric. add() is for the owning worker: it takes the mutex only for a pair never seen before. The
/// sets are closed; should they grow past kMost all the same, the rest counts as "other".
class LabelCounters {
 public:
  static constexpr std::size_t kMost = 256;

  /// Guards insertions against read(); shared with the other cells of the worker, must outlive this.
  explicit LabelCounters(std::mutex& mutex) : mutex_(mutex) {}

  void add(std::string_view first, std::string_view second = {}, std::uint64_t n = 1);

  /// Any thread, without holding the mutex.
  void read(std::function<void(std::string_view, std::string_view, std::uint64_t)> const& visit) const;

 private:
  struct Cell {
    std::string_view first;
    std::string_view second;
    Counter count;
  };
  Cell& find(std::string_view first, std::string_view second);

  std::mutex& mutex_;
  std::vector<std::unique_ptr<Cell>> cells_;
};

}  // namespace kvgate::metrics
