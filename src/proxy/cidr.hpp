// A list of addresses and CIDR blocks: http.trusted_proxies.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/address.hpp"

namespace kvgate::proxy {

class CidrList {
 public:
  /// Entries like "10.0.0.0/8", "192.0.2.1" or "2001:db8::/32". Throws std::invalid_argument naming a malformed one.
  explicit CidrList(std::span<std::string const> entries);

  bool contains(SocketAddress const& address) const noexcept;
  bool empty() const noexcept { return blocks_.empty(); }

 private:
  struct Block {
    std::array<std::uint8_t, 16> prefix{};   // IPv4 as IPv4-mapped IPv6
    int bits = 0;
  };
  std::vector<Block> blocks_;
};

}  // namespace kvgate::proxy
