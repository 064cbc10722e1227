#include "metrics/label_counters.hpp"

namespace kvgate::metrics {

void LabelCounters::add(std::string_view first, std::string_view second, std::uint64_t n) {
  find(first, second).count.add(n);
}

LabelCounters::Cell& LabelCounters::find(std::string_view first, std::string_view second) {
  for (auto const& cell : cells_) {
    if (cell->first == first && cell->second == second) return *cell;
  }
  if (cells_.size() == kMost - 1) first = second = "other";
  if (cells_.size() == kMost) return *cells_.back();
  auto cell = std::make_unique<Cell>();
  cell->first = first;
  cell->second = second;
  std::lock_guard const lock(mutex_);
  return *cells_.emplace_back(std::move(cell));
}

void LabelCounters::read(std::function<void(std::string_view, std::string_view, std::uint64_t)> const& visit) const {
  std::lock_guard const lock(mutex_);
  for (auto const& cell : cells_) visit(cell->first, cell->second, cell->count.read());
}

}  // namespace kvgate::metrics
