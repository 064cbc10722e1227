// The points of an endpoint on the hash ring of uhashring, which other routers place sessions by.
#pragma once

#include <compare>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

namespace kvgate::fleet {

/// An MD5 digest as a number of 128 bits.
struct RingPoint {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  auto operator<=>(RingPoint const&) const = default;
};

/// Where a text lies on the ring. Throws std::runtime_error when OpenSSL has no MD5 (FIPS mode): callers that serve
/// requests ask once at start-up.
RingPoint ring_point(std::string_view text);

/// The 160 points of one URL, ascending; computed when first asked for. Thread-safe.
class RingPoints {
 public:
  std::span<RingPoint const> of(std::string_view url) const;

 private:
  mutable std::once_flag once_;
  mutable std::vector<RingPoint> points_;
};

}  // namespace kvgate::fleet
