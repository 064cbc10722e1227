#include "proxy/cidr.hpp"

#include <netinet/in.h>

#include <charconv>
#include <cstring>
#include <stdexcept>

namespace kvgate::proxy {
namespace {

using Bytes = std::array<std::uint8_t, 16>;

Bytes bytes_of(SocketAddress const& address) noexcept {
  Bytes bytes{};
  if (address.family() == AF_INET) {
    bytes[10] = bytes[11] = 0xff;
    std::memcpy(&bytes[12], &reinterpret_cast<sockaddr_in const&>(address.storage).sin_addr, 4);
  } else if (address.family() == AF_INET6) {
    std::memcpy(bytes.data(), &reinterpret_cast<sockaddr_in6 const&>(address.storage).sin6_addr, 16);
  }
  return bytes;
}

bool same_bits(Bytes const& a, Bytes const& b, int bits) noexcept {
  int const whole = bits / 8;
  if (std::memcmp(a.data(), b.data(), static_cast<std::size_t>(whole)) != 0) return false;
  int const rest = bits % 8;
  return rest == 0 || ((a[static_cast<std::size_t>(whole)] ^ b[static_cast<std::size_t>(whole)]) >> (8 - rest)) == 0;
}

}  // namespace

CidrList::CidrList(std::span<std::string const> entries) {
  for (auto const& entry : entries) {
    auto const slash = entry.find('/');
    auto const address = address_of_literal(entry.substr(0, slash), 0);
    if (!address) throw std::invalid_argument("'" + entry + "' is not an address or a CIDR block");
    int const most = address->family() == AF_INET ? 32 : 128;
    int bits = most;
    if (slash != std::string::npos) {
      auto const* end = entry.data() + entry.size();
      auto const [stop, error] = std::from_chars(entry.data() + slash + 1, end, bits);
      if (error != std::errc() || stop != end || bits < 0 || bits > most)
        throw std::invalid_argument("'" + entry + "' is not an address or a CIDR block");
    }
    blocks_.push_back({bytes_of(*address), bits + (128 - most)});
  }
}

bool CidrList::contains(SocketAddress const& address) const noexcept {
  if (blocks_.empty()) return false;
  auto const bytes = bytes_of(address);
  for (auto const& block : blocks_)
    if (same_bits(bytes, block.prefix, block.bits)) return true;
  return false;
}

}  // namespace kvgate::proxy
