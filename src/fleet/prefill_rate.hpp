// How fast one engine prefills, learned from how long it took to the first body byte.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>

#include "kvgate/clock.hpp"

namespace kvgate::fleet {

/// Fits `first_byte = overhead + tokens / rate` to the last kWindow samples, so an engine that changes its speed is
/// followed within as many. Single outliers (a stalled network, a compilation) do not count. Thread-safe; reading takes
/// no lock, and learn() never waits: of two samples at the same instant one is dropped.
class PrefillRate {
 public:
  static constexpr std::size_t kWindow = 64;
  static constexpr std::size_t kFewest = 8;  ///< samples until there is an answer
  static constexpr double kMinTokens = 64;   ///< shorter ones are nothing but overhead and are ignored

  /// `tokens_computed`: the request's own uncached tokens and those that stood before it in that engine's queue.
  void learn(double tokens_computed, Clock::duration first_byte);

  /// Tokens per second; nullopt: not known yet.
  std::optional<double> tokens_per_second() const noexcept {
    double const rate = rate_.load(std::memory_order_relaxed);
    return rate > 0 ? std::optional(rate) : std::nullopt;
  }

  /// Forgets everything: another process answers under the same address.
  void reset();

 private:
  struct Sample {
    double tokens = 0, seconds = 0;
  };
  struct Line {
    double overhead = 0;  ///< seconds
    double seconds_per_token = 0;
  };

  std::size_t held() const noexcept { return count_ < kWindow ? count_ : kWindow; }
  Line fit() const;
  Line through_origin() const;
  Line improved(Line line) const;
  double typical_error(Line line) const;

  std::atomic<double> rate_{0};  // 0: not known
  std::mutex mutex_;             // guards what follows
  std::array<Sample, kWindow> samples_;
  std::size_t count_ = 0;
};

}  // namespace kvgate::fleet
