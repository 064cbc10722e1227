// The gate's randomness: seeded once, injected where it is needed.
#pragma once

#include <cstdint>

namespace kvgate {

/// splitmix64 (Steele, Lea, Flood 2014): one per worker, not thread-safe. Not for secrets.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// True for `share` of the calls; draws nothing for 0.
  bool chance(double share) noexcept { return share > 0 && static_cast<double>(next() >> 11) * 0x1p-53 < share; }

 private:
  std::uint64_t state_;
};

/// A seed from the operating system.
std::uint64_t random_seed();

}  // namespace kvgate
