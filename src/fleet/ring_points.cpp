#include "fleet/ring_points.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace kvgate::fleet {
namespace {

constexpr int kPoints = 160;   // what HashRing() of uhashring 2.3 gives a node

std::uint64_t big_endian(unsigned char const* bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | bytes[i];
  return value;
}

}  // namespace

RingPoint ring_point(std::string_view text) {
  std::array<unsigned char, 16> digest;
  if (EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_md5(), nullptr) != 1)
    throw std::runtime_error("this OpenSSL has no MD5, which the ring of uhashring is made of");
  return {big_endian(digest.data()), big_endian(digest.data() + 8)};
}

std::span<RingPoint const> RingPoints::of(std::string_view url) const {
  std::call_once(once_, [&] {
    for (int i = 0; i < kPoints; ++i) points_.push_back(ring_point(std::string(url) + "-" + std::to_string(i)));
    std::ranges::sort(points_);
  });
  return points_;
}

}  // namespace kvgate::fleet
