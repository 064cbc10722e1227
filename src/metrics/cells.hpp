// Cells: numbers that one worker writes and any thread reads. A write is a plain load and store, never a locked
// instruction. Stores release and loads acquire (free on x86), so whoever sees a cell's new value also sees what the
// worker wrote to other cells before; differences of two counters rely on it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kvgate::metrics {

class Counter {
 public:
  /// Owner only.
  void add(std::uint64_t n = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_release);
  }
  std::uint64_t read() const noexcept { return value_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// A gauge as two counters. read() never is negative: it looks at what went before it looks at what came.
class UpDown {
 public:
  void up(std::uint64_t n = 1) noexcept { up_.add(n); }
  /// Owner only, and only what went up before.
  void down(std::uint64_t n = 1) noexcept { down_.add(n); }
  std::uint64_t read() const noexcept {
    std::uint64_t const down = down_.read();
    return up_.read() - down;
  }

 private:
  Counter up_;
  Counter down_;
};

/// Counts per bucket (not cumulative), the last one for +Inf, and the sum: what one or several histograms held.
struct HistogramReading {
  std::vector<std::uint64_t> counts;
  double sum = 0;

  std::uint64_t total() const noexcept {
    std::uint64_t n = 0;
    for (auto const c : counts) n += c;
    return n;
  }
  HistogramReading& operator+=(HistogramReading const& other) {
    counts.resize(std::max(counts.size(), other.counts.size()));
    for (std::size_t i = 0; i < other.counts.size(); ++i) counts[i] += other.counts[i];
    sum += other.sum;
    return *this;
  }
};

/// A histogram over `kBounds`, an ascending std::array of upper bounds (a value on a bound belongs to its bucket).
template <auto const& kBounds>
class Histogram {
 public:
  /// Owner only. `n` observations of `value`; what is not >= 0 counts as 0.
  void observe(double value, std::uint64_t n = 1) noexcept {
    if (!(value >= 0)) value = 0;
    auto const bucket = std::lower_bound(kBounds.begin(), kBounds.end(), value) - kBounds.begin();
    counts_[static_cast<std::size_t>(bucket)].add(n);
    sum_.store(sum_.load(std::memory_order_relaxed) + value * static_cast<double>(n), std::memory_order_relaxed);
  }

  HistogramReading read() const {
    HistogramReading reading;
    for (auto const& cell : counts_) reading.counts.push_back(cell.read());
    reading.sum = sum_.load(std::memory_order_relaxed);
    return reading;
  }

 private:
  std::array<Counter, kBounds.size() + 1> counts_;
  std::atomic<double> sum_{0};
};

}  // namespace kvgate::metrics
