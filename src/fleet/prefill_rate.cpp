#include "fleet/prefill_rate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

namespace kvgate::fleet {
namespace {

constexpr std::size_t kFitEvery = 16;    // a fit takes some microseconds, and one sample of many changes little
constexpr std::size_t kFitEveryOfFew = 4;
constexpr int kRounds = 4;               // more do not change the result
constexpr double kOutlier = 4.7;         // standard deviations: the usual constant of Tukey's biweight
constexpr double kDeviation = 1.5;       // of a normal distribution, per median of its absolute errors
constexpr double kLeastDeviation = .05;  // relative; samples that agree better than this are not told apart
constexpr double kLeastSpread = .02;     // with prompts of one length, overhead and speed cannot be told apart

double median(std::span<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Sums of a weighted linear regression of y on x.
struct Sums {
  double w = 0, x = 0, y = 0, xx = 0, xy = 0;

  void add(double weight, double at, double value) {
    w += weight;
    x += weight * at;
    y += weight * value;
    xx += weight * at * at;
    xy += weight * at * value;
  }
};

}  // namespace

void PrefillRate::learn(double tokens_computed, Clock::duration first_byte) {
  double const seconds = std::chrono::duration<double>(first_byte).count();
  if (!(tokens_computed >= kMinTokens) || !std::isfinite(tokens_computed) || seconds <= 0) return;
  std::unique_lock const lock(mutex_, std::try_to_lock);
  if (!lock) return;
  samples_[count_ % kWindow] = {tokens_computed, seconds};
  ++count_;
  if (count_ < kFewest || count_ % (count_ < kWindow ? kFitEveryOfFew : kFitEvery) != 0) return;
  rate_.store(1 / fit().seconds_per_token, std::memory_order_relaxed);
}

void PrefillRate::reset() {
  std::lock_guard const lock(mutex_);
  count_ = 0;
  rate_.store(0, std::memory_order_relaxed);
}

PrefillRate::Line PrefillRate::fit() const {
  auto line = through_origin();
  for (int i = 0; i < kRounds; ++i) line = improved(line);
  return line;
}

/// A start that up to half of the samples cannot spoil.
PrefillRate::Line PrefillRate::through_origin() const {
  std::array<double, kWindow> slopes;
  for (std::size_t i = 0; i < held(); ++i) slopes[i] = samples_[i].seconds / samples_[i].tokens;
  return {0, median(std::span(slopes).first(held()))};
}

double PrefillRate::typical_error(Line line) const {
  std::array<double, kWindow> errors;
  for (std::size_t i = 0; i < held(); ++i) {
    auto const [tokens, seconds] = samples_[i];
    errors[i] = std::abs(seconds / (line.overhead + line.seconds_per_token * tokens) - 1);
  }
  return median(std::span(errors).first(held()));
}

/// One round of iteratively reweighted least squares: what is far off the line so far counts less, or not at all.
PrefillRate::Line PrefillRate::improved(Line line) const {
  double const limit = kOutlier * std::max(kDeviation * typical_error(line), kLeastDeviation);
  Sums sums;
  for (std::size_t i = 0; i < held(); ++i) {
    auto const [tokens, seconds] = samples_[i];
    double const error = (seconds / (line.overhead + line.seconds_per_token * tokens) - 1) / limit;
    if (std::abs(error) >= 1) continue;
    double const trust = (1 - error * error) * (1 - error * error);
    // The error of a sample grows with its length, though not quite as fast.
    sums.add(trust / (tokens * std::sqrt(tokens)), tokens, seconds);
  }
  if (sums.w <= 0) return line;
  double const spread = sums.w * sums.xx - sums.x * sums.x;
  if (spread > kLeastSpread * sums.w * sums.xx) {
    double const slope = (sums.w * sums.xy - sums.x * sums.y) / spread;
    double const overhead = (sums.y - slope * sums.x) / sums.w;
    if (slope > 0 && overhead > 0) return {overhead, slope};
  }
  return {0, sums.xy / sums.xx};
}

}  // namespace kvgate::fleet
